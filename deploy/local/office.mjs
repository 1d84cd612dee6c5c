import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostOf } from "./address.mjs";
import { executable } from "./executable.mjs";
import { INSTALL_COMMAND, installOffice } from "./office-installation.mjs";
import { explain } from "./problem.mjs";

/**
 * What converts office files here, in a few words. The conversion service finds LibreOffice by itself; `stateFile` says
 * `installing` as long as it must not, and `absent` where there is none. `install` is there where it is to be installed.
 *
 * @typedef {import("./place.mjs").Place} Place
 * @typedef {import("./supervision.mjs").Part} Part
 * @typedef {{ choice: string, stateFile: string, install: (() => Part) | undefined }} Office
 */

/**
 * How the conversion service looks for LibreOffice.
 *
 * @typedef {Pick<typeof import("@assistant/conversion/office/find-office.js"), "findOffice" | "officeVersion">} Search
 */

/**
 * @param {{ place: Place, options: import("./options.mjs").Options, search: Search }} wanted
 * @returns {Promise<Office>}
 */
export async function resolveOffice({ place, options, search }) {
  const find = () => found(search, place.folder);
  const stateFile = join(place.folder, "office-state");
  const { GOTENBERG_URL, OFFICE_PATH, OFFICE_SLOTS } = process.env;
  const gotenberg = GOTENBERG_URL ? [`Gotenberg at ${hostOf(GOTENBERG_URL)} (GOTENBERG_URL)`] : [];
  const there = OFFICE_SLOTS === "0" ? "without LibreOffice (OFFICE_SLOTS is 0)" : await find();
  if (there !== undefined) {
    rmSync(stateFile, { force: true });
    return { choice: [there, ...gotenberg].join(", "), stateFile, install: undefined };
  }
  const aptGet = executable("apt-get");
  // Who names a converter has made a choice, and who keeps nothing wants nothing kept on the machine either.
  const isWanted = options.install && !options.ephemeral && gotenberg.length === 0 && !OFFICE_PATH;
  if (isWanted && aptGet !== undefined && process.getuid?.() === 0) {
    writeFileSync(stateFile, "installing\n");
    const logFile = place.logFile("office-installation");
    const install = () => installHere({ aptGet, logFile, stateFile, find, log: place.watcher.log });
    return { choice: `installing LibreOffice (log: ${logFile})`, stateFile, install };
  }
  writeFileSync(stateFile, "absent\n");
  return { choice: gotenberg[0] ?? absence(OFFICE_PATH, aptGet), stateFile, install: undefined };
}

/**
 * @param {{
 *   aptGet: string, logFile: string, stateFile: string, find: () => Promise<string | undefined>,
 *   log: (line: string) => void,
 * }} options
 * @returns {Part}
 */
function installHere({ aptGet, logFile, stateFile, find, log }) {
  const tell = (/** @type {string} */ reason) => {
    writeFileSync(stateFile, "absent\n");
    log(
      `LibreOffice is not installed: ${reason} (log: ${logFile}). Few formats convert until it is: ${INSTALL_COMMAND}`,
    );
  };
  return installOffice({
    aptGet,
    logFile,
    log,
    async ended(failure) {
      if (failure !== undefined) return tell(failure);
      const there = await find();
      if (there === undefined) return tell("apt-get has succeeded, but there is none that works");
      rmSync(stateFile, { force: true });
      log(`${there} is installed: it converts from now on.`);
    },
  });
}

/**
 * @param {string | undefined} officePath
 * @param {string | undefined} aptGet
 */
function absence(officePath, aptGet) {
  return `absent, so few formats convert: ${remedy(officePath, aptGet)}`;
}

/**
 * @param {string | undefined} officePath
 * @param {string | undefined} aptGet
 */
function remedy(officePath, aptGet) {
  if (process.platform !== "linux") return "name a Gotenberg in GOTENBERG_URL";
  if (officePath) return `OFFICE_PATH names no LibreOffice that works (${officePath})`;
  if (aptGet === undefined)
    return "install LibreOffice and its Python bridge (UNO), or name a Gotenberg in GOTENBERG_URL";
  return `${process.getuid?.() === 0 ? "" : "sudo "}${INSTALL_COMMAND}`;
}

/**
 * @param {Search} search
 * @param {string} scratchFolder
 */
async function found({ findOffice, officeVersion }, scratchFolder) {
  const path = await findOffice(process.env.OFFICE_PATH || undefined);
  if (path === undefined) return undefined;
  try {
    const version = await officeVersion(path, scratchFolder);
    return `${/^\S+ \d+\.\d+/.exec(version)?.[0] ?? version} (${path})`;
  } catch (error) {
    // Whether it works is for the conversion service to find out; here it only has no number.
    return `LibreOffice (${path}; ${explain(error).split("\n")[0]})`;
  }
}
