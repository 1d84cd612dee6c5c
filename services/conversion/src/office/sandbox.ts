import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Log } from "@assistant/kit/process/log.js";
import { type Installation, SYSTEM_PATH } from "./find-office.js";
import { createSlotFolder, type Owner, PROGRAM_FOLDER, type SlotFolder } from "./slot-folder.js";

const run = promisify(execFile);

/**
 * What separates the office from this machine. `full`: it has no network, and sees programs, fonts and its own folder,
 * nothing else. `network`: it has no network. `none`: only its own settings, and a proxy that does not exist, keep it
 * from fetching things. Memory, files and open files are limited in any case.
 */
export type Isolation = "full" | "network" | "none";

export interface Sandbox {
  readonly isolation: Isolation;
  readonly owner: Owner | undefined;
  /** The command that runs a program, inside the sandbox, in the folder of a slot. */
  command(folder: SlotFolder, program: readonly string[]): Command;
}

export interface Command {
  readonly file: string;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface SandboxParts {
  readonly installation: Installation;
  /** Where the folders of the slots are. */
  readonly folder: string;
  /** From the strongest to the weakest that will do. */
  readonly levels: readonly Isolation[];
  readonly log: Log;
}

/** The strongest sandbox that this machine allows, found by trying. Throws if not even the weakest works. */
export async function chooseSandbox(parts: SandboxParts): Promise<Sandbox> {
  const { installation, levels, log } = parts;
  // The user `nobody`, who owns nothing. Who is not root cannot become anybody else.
  const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
  let failure: unknown;
  for (const isolation of levels) {
    const sandbox: Sandbox = {
      isolation,
      owner,
      command: (folder, program) => commandIn(isolation, owner, installation.home, folder, program),
    };
    try {
      await tryOut(sandbox, parts);
      return sandbox;
    } catch (error) {
      failure = error;
      const reason = lastLineOf(error);
      log.warn({ isolation, reason }, "the machine does not allow this isolation of the office");
    }
  }
  throw new Error("the office cannot be run in its folder by its user", { cause: failure });
}

async function tryOut(sandbox: Sandbox, { installation, folder }: SandboxParts): Promise<void> {
  const trial = await createSlotFolder(folder, sandbox.owner);
  try {
    const program = [installation.python, "-B", "-c", "import uno, office_documents; open('tmp/trial', 'w').close()"];
    const { file, words, env } = sandbox.command(trial, program);
    await run(file, [...words], { cwd: trial.path, env, timeout: TRIAL_LIMIT_MS });
  } finally {
    await trial.remove();
  }
}

function lastLineOf(error: unknown): string | undefined {
  return String(error).trimEnd().split("\n").at(-1);
}

function commandIn(
  isolation: Isolation,
  owner: Owner | undefined,
  office: string,
  folder: SlotFolder,
  program: readonly string[],
): Command {
  const become = owner === undefined ? [] : [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups"];
  const limited = [...NO_PRIVILEGES, ...LIMITS, ...program];
  const words = {
    full: [
      ...["unshare", ...(owner === undefined ? ["--map-root-user"] : [])],
      ...["--net", "--mount", "--pid", "--ipc", "--fork", "--kill-child", "--"],
      ...["sh", join(PROGRAM_FOLDER, "enter-sandbox.sh"), join(folder.path, "root"), folder.path, office],
      ...(owner === undefined ? [] : ["setpriv", ...become]),
      ...limited,
    ],
    network: [
      ...["setpriv", ...become, "--no-new-privs"],
      ...["unshare", "--map-root-user", "--net", "--ipc", "--"],
      ...limited,
    ],
    none: [...(owner === undefined ? [] : ["setpriv", ...become]), ...LIMITS_ONLY, ...program],
  }[isolation];
  const [file = "", ...rest] = words;
  return { file, words: rest, env: ENVIRONMENT };
}

const NO_PRIVILEGES = ["setpriv", "--no-new-privs", "--bounding-set=-all"];
// Bytes of address space and of one file. A job that needs more is ended by the system.
const LIMITS = ["prlimit", "--as=3000000000", "--fsize=1000000000", "--nofile=512", "--core=0"];
const LIMITS_ONLY = ["setpriv", "--no-new-privs", ...LIMITS];

const DEAD_PROXY = "http://127.0.0.1:9";
// Nothing of the environment of this process, which holds secrets.
const ENVIRONMENT = {
  PATH: SYSTEM_PATH,
  LANG: "C.UTF-8",
  SAL_USE_VCLPLUGIN: "svp",
  http_proxy: DEAD_PROXY,
  https_proxy: DEAD_PROXY,
  ftp_proxy: DEAD_PROXY,
  no_proxy: "",
};

const TRIAL_LIMIT_MS = 20_000;
