import { chmod, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "@assistant/kit/process/log.js";
import type { Engine } from "../engine.js";
import { convertible } from "./filters.js";
import { installationOf, officeVersion } from "./find-office.js";
import { openPool } from "./pool.js";
import { chooseSandbox, type Isolation } from "./sandbox.js";
import { startSlot } from "./slot.js";

export interface OfficeEngineOptions {
  /** A `soffice`, as `findOffice` finds it. */
  readonly officePath: string;
  /** How many offices to keep warm. */
  readonly slots: number;
  /** A folder of this engine alone: whatever is in it goes. The user `nobody` must get there if this process is root's. */
  readonly folder: string;
  readonly log: Log;
  readonly jobTimeoutMs?: number;
  readonly jobsPerSlot?: number;
  readonly queueLimit?: number;
  /** How long a job that nobody waits for any more may go on before its office is ended. */
  readonly graceMs?: number;
  /** From the strongest to the weakest that will do. */
  readonly isolations?: readonly Isolation[];
}

export interface OfficeEngine extends Engine {
  /** What separates the office from this machine. */
  readonly isolation: Isolation;
  /** How many offices are warm. */
  readonly warmSlots: number;
}

/**
 * Resolves as soon as it is known that the office can be run. It takes no formats until the first one is warm, nor when
 * none can be started any more. Throws if there is no office, or if it cannot be run here.
 */
export async function openOfficeEngine(options: OfficeEngineOptions): Promise<OfficeEngine> {
  const { officePath, folder, log, slots } = options;
  const installation = await installationOf(officePath);
  if (installation === undefined) {
    throw new Error(`${officePath} is no office that can be worked with`);
  }
  await prepare(folder);
  const version = await versionIn(folder, officePath);
  const levels = options.isolations ?? ["full", "network", "none"];
  const sandbox = await chooseSandbox({ installation, folder, levels, log });
  log.info({ office: version, isolation: sandbox.isolation, slots }, "the office starts");
  const { jobTimeoutMs = 60_000, jobsPerSlot = 200 } = options;
  const pool = openPool({
    slots,
    queueLimit: options.queueLimit ?? 32,
    graceMs: options.graceMs ?? 2_000,
    log,
    start: (signal) => startSlot({ installation, sandbox, folder, jobTimeoutMs, jobsPerSlot }, signal),
  });
  return {
    name: "office",
    version,
    isolation: sandbox.isolation,
    get warmSlots() {
      return pool.size;
    },
    takes: (target) => (pool.isAble ? convertible(target, installation.hasDatabases) : NONE),
    convert: pool.convert,
    close: pool.close,
  };
}

/** Empties the folder of what an earlier process left, and lets other users through it, but not look around. */
async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o711);
  const names = await readdir(folder);
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

async function versionIn(folder: string, officePath: string): Promise<string> {
  const scratch = join(folder, "version");
  await mkdir(scratch);
  try {
    return await officeVersion(officePath, scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const NONE: ReadonlySet<string> = new Set();
