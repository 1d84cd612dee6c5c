import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { problem } from "./problem.mjs";
import { stillRuns } from "./process-mark.mjs";

/**
 * A platform of this user that runs on this machine now.
 *
 * @typedef {{
 *   launcher: import("./process-mark.mjs").Marked, port: number, url: string, bootstrapTokenFile: string,
 * }} Entry
 */

/**
 * @param {Entry} entry
 * @returns {() => void} takes the entry out again
 */
export function register(entry) {
  const file = join(openRegistry(), `${entry.port}.json`);
  writeFileSync(file, JSON.stringify(entry), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** @returns {Entry[]} */
export function runningPlatforms() {
  const folder = openRegistry();
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.map((name) => read(join(folder, name))).filter(({ launcher }) => stillRuns(launcher));
}

/**
 * One folder for all platforms of a user, wherever their data lie. It names files with credentials, so it must not be
 * one that somebody else laid down.
 */
function openRegistry() {
  const uid = process.getuid?.();
  const folder = join(tmpdir(), `assistant-platform-user-${uid ?? "own"}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const state = lstatSync(folder);
  const isOurs = uid === undefined || (state.uid === uid && (state.mode & 0o077) === 0);
  if (!state.isDirectory() || !isOurs) throw problem(`${folder} belongs to somebody else: remove it, or set TMPDIR.`);
  return folder;
}

/**
 * Written by `register` alone, in a folder that nobody else may write to.
 *
 * @param {string} file
 * @returns {Entry}
 */
function read(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
