import { spawnSync } from "node:child_process";

/** @type {boolean | undefined} */
let known;

/**
 * The command wrapped so that the kernel signals it when this process dies, however it dies; as it is where the system
 * has no `setpriv` that can do so.
 *
 * @param {"INT" | "TERM"} signal
 * @param {string} command
 * @param {readonly string[]} options
 * @returns {[string, string[]]}
 */
export function withDeathSignal(signal, command, options) {
  known ??= process.platform === "linux" && spawnSync("setpriv", ["--pdeathsig", "TERM", "true"]).status === 0;
  return known ? ["setpriv", ["--pdeathsig", signal, command, ...options]] : [command, [...options]];
}
