import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Log } from "@assistant/kit/process/log.js";
import { processAge, removeLeftovers } from "./leftovers.js";

/** Where this process keeps what it works on: a folder that nobody else can look into, gone when the process is. */
export interface WorkFolder {
  readonly path: string;
  /** A folder of its own for one piece of work, which nobody else can enter. */
  open(): Promise<JobFolder>;
  /** Removes all of it. */
  close(): Promise<void>;
}

export interface JobFolder {
  readonly path: string;
  /** Removes it with everything in it. What cannot be removed is told to the log: nobody else could do better. */
  remove(): Promise<void>;
}

/** Makes the folder below `parent`, and removes what processes of ours that were killed have left there. */
export async function openWorkFolder(parent: string, log: Log): Promise<WorkFolder> {
  await mkdir(parent, { recursive: true });
  // A machine of another name may share the disk, and then its process numbers say nothing here.
  const machine = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
  const prefix = `${PREFIX}${machine}-`;
  await removeLeftovers(parent, prefix, log);
  const path = await mkdtemp(join(parent, `${prefix}${process.pid}-${await processAge(process.pid)}-`));
  // An office that runs as another user has to get through to a folder of its own in here.
  await chmod(path, 0o711);
  return {
    path,
    async open() {
      // Made readable for nobody else.
      const folder = await mkdtemp(join(path, "job-"));
      return { path: folder, remove: () => removeFolder(folder, log) };
    },
    close: () => removeFolder(path, log),
  };
}

const PREFIX = "assistant-conversion-";

async function removeFolder(path: string, log: Log): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    log.error({ err: error, path }, "a folder of ours cannot be removed");
  }
}
