import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { withDeathSignal } from "./death-signal.mjs";
import { lastWords, openLogFile, textSince } from "./log-file.mjs";
import { supervise } from "./supervision.mjs";

/**
 * A process to run, where it writes, and how long it may take to end.
 *
 * @typedef {{
 *   name: string, command: string, words: readonly string[], folder: string, environment: NodeJS.ProcessEnv,
 *   logFile: string, graceMs: number,
 * }} Program
 * @typedef {{ log: (line: string) => void, started: (name: string, pid: number) => void }} Watcher
 * @typedef {import("./supervision.mjs").Part} Part
 */

/**
 * Runs the program for as long as the platform runs.
 *
 * @param {Program} program
 * @param {Watcher} watcher
 * @returns {Part}
 */
export function keepRunning(program, watcher) {
  return supervise({
    name: program.name,
    first: start(program, watcher),
    again: async () => start(program, watcher),
    log: (line) => watcher.log(`${line}, log: ${program.logFile}`),
  });
}

/**
 * Runs the program once to its end.
 *
 * @param {Program} program
 * @param {Watcher} watcher
 * @returns {Promise<string | undefined>} how it failed; undefined when it did not
 */
export async function runOnce(program, watcher) {
  const { child, ended } = start(program, watcher);
  const failure = await ended;
  return child.exitCode === 0 ? undefined : failure;
}

/**
 * @param {Program} program
 * @param {Watcher} watcher
 */
function start(program, watcher) {
  const { handle, size } = openLogFile(program.logFile);
  const [command, words] = withDeathSignal("TERM", program.command, program.words);
  const child = spawn(command, words, {
    cwd: program.folder,
    env: program.environment,
    // The channel carries nothing: its end tells the process that its launcher died, where the kernel does not.
    stdio: ["ignore", handle, handle, "ipc"],
    // Out of the terminal's reach: an interrupt is for the launcher, which stops its parts in order.
    detached: process.platform !== "win32",
  });
  closeSync(handle);
  if (child.pid !== undefined) watcher.started(program.name, child.pid);
  /** @type {Promise<string>} */
  const ended = new Promise((resolve) => {
    child.once("error", (error) => child.pid === undefined && resolve(error.message));
    child.once("exit", (code, signal) => {
      // Who was killed had no last words.
      resolve(signal ?? `exit code ${code}, ${lastWords(textSince(program.logFile, size))}`);
    });
  });
  return { child, ended, stop: () => stop(child, ended, program.graceMs), kill: () => void child.kill("SIGKILL") };
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {Promise<string>} ended
 * @param {number} graceMs
 */
async function stop(child, ended, graceMs) {
  const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
  child.kill("SIGTERM");
  await ended;
  clearTimeout(timer);
}
