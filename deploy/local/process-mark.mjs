import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { codeOf } from "./problem.mjs";

/**
 * One process told apart from every other that gets the same number later.
 *
 * @typedef {{ pid: number, mark: string }} Marked
 */

/**
 * @param {number} pid
 * @returns {Marked | undefined} undefined when no such process runs
 */
export function marked(pid) {
  const mark = markOf(pid);
  return mark === undefined ? undefined : { pid, mark };
}

/** @param {Marked} process */
export function stillRuns({ pid, mark }) {
  return markOf(pid) === mark;
}

/**
 * Also false for one that has ended but that nobody has waited for: the first process of a container often never does.
 *
 * @param {number} pid
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== "EPERM") return false;
  }
  return process.platform !== "linux" || statOf(pid) !== undefined;
}

/**
 * The moment it started, in the words of the system: after a restart of the machine or the container numbers repeat.
 *
 * @param {number} pid
 * @returns {string | undefined}
 */
function markOf(pid) {
  if (!isAlive(pid)) return undefined;
  if (process.platform === "win32") return "alive";
  if (process.platform === "linux") {
    const stat = statOf(pid);
    return stat && `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${stat.startedAt}`;
  }
  const answer = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env: { LC_ALL: "C" } });
  return answer.status === 0 ? answer.stdout.trim() : undefined;
}

/**
 * What Linux tells of a process that has not ended.
 *
 * @param {number} pid
 */
function statOf(pid) {
  try {
    // The name in brackets may hold spaces and brackets itself; what follows the last one is regular.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    const [state] = fields;
    return state === "Z" || state === "X" ? undefined : { startedAt: fields[19] };
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ESRCH") return undefined;
    throw error;
  }
}
