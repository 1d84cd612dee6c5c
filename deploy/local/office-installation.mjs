import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { openLogFile, textSince } from "./log-file.mjs";
import { explain } from "./problem.mjs";

/** @typedef {import("./supervision.mjs").Part} Part */

// Without a graphical interface, and with fonts as wide as those that documents most often name.
const PACKAGES = [
  "libreoffice-writer-nogui",
  "libreoffice-calc-nogui",
  "libreoffice-impress-nogui",
  // Reads dBASE tables.
  "libreoffice-base-drivers",
  "python3-uno",
  "fonts-liberation",
  "fonts-dejavu-core",
  "fonts-crosextra-carlito",
  "fonts-crosextra-caladea",
];
const INSTALL = ["install", "-y", "--no-install-recommends", ...PACKAGES];
// Another installation on the machine, its own updates mostly, is waited for.
const PATIENT = ["-o", "DPkg::Lock::Timeout=300"];

export const INSTALL_COMMAND = `apt-get ${INSTALL.join(" ")}`;

/**
 * Installs LibreOffice by apt-get beside the running platform. `ended` is told how that failed, or nothing where it did
 * not; where the part is stopped before, it is not called.
 *
 * Stopping ends a download at once. What is being unpacked is waited for, or left to itself when the platform ends by
 * force: no package is left half-configured.
 *
 * @param {{
 *   aptGet: string, logFile: string, log: (line: string) => void, ended: (failure?: string) => Promise<void>,
 * }} options
 * @returns {Part}
 */
export function installOffice({ aptGet, logFile, log, ended }) {
  const stopping = new AbortController();
  const state = { isUnpacking: false };
  const { signal } = stopping;
  const install = async () => {
    // Where a list cannot be fetched, those there are may do: the download tells.
    await run({ aptGet, words: ["update"], logFile, signal });
    const failure = await run({ aptGet, words: [...PATIENT, ...INSTALL, "--download-only"], logFile, signal });
    if (failure !== undefined || signal.aborted) return failure;
    state.isUnpacking = true;
    return await run({ aptGet, words: [...PATIENT, ...INSTALL], logFile });
  };
  const installing = install()
    .catch(explain)
    .then(async (failure) => {
      state.isUnpacking = false;
      if (!signal.aborted) await ended(failure);
    })
    .catch((error) => log(explain(error)));
  return {
    name: "installation",
    crashes: () => 0,
    lastCrash: () => "",
    async stop() {
      if (state.isUnpacking) log(`LibreOffice is being unpacked: waiting for apt-get (log: ${logFile}).`);
      stopping.abort();
      await installing;
    },
    kill: () => {},
  };
}

/**
 * @param {{ aptGet: string, words: readonly string[], logFile: string, signal?: AbortSignal }} step one with a signal
 *   may be interrupted
 * @returns {Promise<string | undefined>} how it failed; undefined when it did not
 */
async function run({ aptGet, words, logFile, signal }) {
  if (signal?.aborted) return "interrupted";
  const { handle, size } = openLogFile(logFile);
  const child = spawn(aptGet, words, {
    cwd: "/",
    // Nobody is there to answer questions, and no service of the machine is to be restarted for this.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", NEEDRESTART_SUSPEND: "1", LC_ALL: "C" },
    stdio: ["ignore", handle, handle],
    // Out of the terminal's reach, and with a life of its own: it may outlive the launcher.
    detached: true,
  });
  closeSync(handle);
  const interrupt = () => void child.kill("SIGINT");
  signal?.addEventListener("abort", interrupt);
  try {
    const end = await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code, name) => resolve(name ?? code));
    });
    return end === 0 ? undefined : failureIn(textSince(logFile, size), end);
  } finally {
    signal?.removeEventListener("abort", interrupt);
  }
}

/**
 * The first error is the cause, those after it follow from it.
 *
 * @param {string} output
 * @param {number | string} end
 */
function failureIn(output, end) {
  return /^E: (.*)$/m.exec(output)?.[1] ?? `apt-get ended with ${end}`;
}
