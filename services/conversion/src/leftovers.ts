import { lstat, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "@assistant/kit/process/log.js";

/**
 * Removes the folders `<prefix><process>-<age>-...` whose process is no more. Those of other users and of other prefixes
 * are not touched, nor is anything that is no folder.
 */
export async function removeLeftovers(parent: string, prefix: string, log: Log): Promise<void> {
  for (const name of await readdir(parent)) {
    const [pid, age] = name.startsWith(prefix) ? name.slice(prefix.length).split("-") : [];
    if (pid === undefined || age === undefined || !/^\d+$/.test(pid)) continue;
    const path = join(parent, name);
    try {
      if ((await isOurs(path)) && (await processAge(Number(pid))) !== age) {
        await rm(path, { recursive: true, force: true });
        log.info({ path }, "removed what a killed process has left");
      }
    } catch (error) {
      log.warn({ err: error, path }, "what a killed process has left cannot be removed");
    }
  }
}

/**
 * When a process began, in a word that no other process of this number has; undefined if there is none. Process numbers
 * come again, in a container that restarts at once.
 */
export async function processAge(pid: number): Promise<string | undefined> {
  if (process.platform !== "linux") {
    return isRunning(pid) ? "0" : undefined;
  }
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in brackets, which may hold anything; the twenty-second is the time.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    // There is no such process.
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // It is not, or is another user's, whose folder is left alone anyhow.
    return false;
  }
}

async function isOurs(path: string): Promise<boolean> {
  const about = await lstat(path);
  return about.isDirectory() && (process.getuid === undefined || about.uid === process.getuid());
}
