import { execFile } from "node:child_process";
import { access, constants, realpath } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Where an office is, as far as it is needed to run it. */
export interface Installation {
  /** The folder that holds all of it. */
  readonly home: string;
  /** The program itself, without the script that starts it. */
  readonly binary: string;
  /** An interpreter that can talk to the office. */
  readonly python: string;
  /** Whether it reads databases; the drivers are a package of their own. */
  readonly hasDatabases: boolean;
}

/**
 * The path of a `soffice` that can be worked with, undefined if there is none. Where `officePath` names one, no other is
 * looked for. The search costs little, so it may be repeated while an office is being installed.
 */
export async function findOffice(officePath?: string): Promise<string | undefined> {
  if (process.platform !== "linux") {
    return undefined;
  }
  const paths = officePath === undefined ? usualPaths() : [officePath];
  for (const path of paths) {
    if ((await installationOf(path)) !== undefined) {
      return path;
    }
  }
  return undefined;
}

/** Undefined if the path leads to no office, or to one that python cannot talk to. */
export async function installationOf(officePath: string): Promise<Installation | undefined> {
  // A path that cannot be followed leads to none, whatever the reason.
  const script = await realpath(officePath).catch(() => undefined);
  if (script === undefined) {
    return undefined;
  }
  const program = dirname(script);
  const binary = join(program, "soffice.bin");
  if (!(await mayBe(binary, constants.X_OK))) {
    return undefined;
  }
  // The builds of The Document Foundation bring their own interpreter, those of distributions use the system's.
  for (const python of [join(program, "python"), "/usr/bin/python3"]) {
    if ((await mayBe(python, constants.X_OK)) && (await speaksUno(python))) {
      const hasDatabases = await mayBe(join(program, "libdbaselo.so"), constants.R_OK);
      return { home: dirname(program), binary, python, hasDatabases };
    }
  }
  return undefined;
}

/** What `soffice --version` says, without the number of the build. */
export async function officeVersion(officePath: string, scratchFolder: string): Promise<string> {
  const profile = `-env:UserInstallation=file://${scratchFolder}`;
  const env = { HOME: scratchFolder, PATH: SYSTEM_PATH };
  const { stdout } = await run(officePath, ["--version", profile], { env, timeout: ASK_LIMIT_MS });
  const version = /LibreOffice\S* [\d.]+/.exec(stdout)?.[0];
  if (version === undefined) {
    throw new Error(`${officePath} does not say its version`);
  }
  return version;
}

export const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const ASK_LIMIT_MS = 20_000;

function usualPaths(): string[] {
  const folders = SYSTEM_PATH.split(delimiter);
  return [...folders.map((folder) => join(folder, "soffice")), "/usr/lib/libreoffice/program/soffice"];
}

async function mayBe(path: string, use: number): Promise<boolean> {
  return access(path, use).then(
    () => true,
    () => false,
  );
}

async function speaksUno(python: string): Promise<boolean> {
  return run(python, ["-c", "import uno"], { timeout: ASK_LIMIT_MS }).then(
    () => true,
    () => false,
  );
}
