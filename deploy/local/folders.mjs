import { createHash } from "node:crypto";
import { accessSync, chmodSync, constants, existsSync, lchownSync, lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { reaches } from "./postgres-account.mjs";
import { codeOf, problem } from "./problem.mjs";

/** @typedef {import("./postgres-account.mjs").Account} Account */

const SYSTEM_FOLDER = "/var/lib/assistant-platform";
// Linux says ENOENT where a file system, read-only or made up by the kernel, takes no new folders.
const UNUSABLE = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "ENOENT"]);

/**
 * A folder of ours that the account can pass through, made where missing; undefined where it cannot get there because a
 * folder above is closed to it, or where there can be no such folder.
 *
 * @param {string} folder
 * @param {Account | undefined} account
 * @returns {string | undefined}
 */
export function passableFolder(folder, account) {
  if (account === undefined) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return folder;
  }
  if (!reaches(existingPart(folder), account)) return undefined;
  try {
    makePassable(folder);
    return folder;
  } catch (error) {
    if (UNUSABLE.has(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}

/**
 * The folder itself, made and given to the account; where the account cannot get there, one of its own elsewhere, the
 * same one at every start.
 *
 * @param {string} wanted
 * @param {Account | undefined} account
 * @returns {string}
 */
export function reachableFolder(wanted, account) {
  const folder = resolve(wanted);
  if (account === undefined) return passableFolder(folder, account) ?? folder;
  const found = [folder, ...foldersElsewhere(folder)].find((candidate) => isGiven(candidate, account));
  if (found !== undefined) return found;
  throw problem(`Postgres runs as user ${account.name} here, who cannot reach ${folder}: name another folder.`);
}

/**
 * Where else the things of a folder may lie, the same places at every start.
 *
 * @param {string} wanted
 */
export function foldersElsewhere(wanted) {
  const hash = createHash("sha256").update(resolve(wanted)).digest("hex").slice(0, 12);
  const name = `${basename(wanted).replace(/^\./, "")}-${hash}`;
  const parents = [SYSTEM_FOLDER, join(tmpdir(), "assistant-platform")];
  return parents.filter(isOurs).map((parent) => join(parent, name));
}

/**
 * @param {string} folder
 * @param {Account} account
 */
function isGiven(folder, account) {
  try {
    if (passableFolder(dirname(folder), account) === undefined) return false;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    lchownSync(folder, account.uid, account.gid);
    return reaches(folder, account);
  } catch (error) {
    if (UNUSABLE.has(codeOf(error) ?? "")) return false;
    throw error;
  }
}

/** @param {string} folder */
function existingPart(folder) {
  let part = folder;
  while (!existsSync(part)) part = dirname(part);
  return part;
}

/**
 * Makes what is missing of a path so that others may pass through but not look around; what was there stays as it is.
 *
 * @param {string} folder
 */
function makePassable(folder) {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  // The mode given to mkdir is cut by the umask, which may well forbid others everything.
  for (let made = folder; made.length >= first.length; made = dirname(made)) chmodSync(made, 0o711);
}

/**
 * In a folder open to everybody somebody else may have laid this one down, or a link in its place.
 *
 * @param {string} folder
 */
function isOurs(folder) {
  try {
    const state = lstatSync(folder);
    return state.isDirectory() && state.uid === process.getuid?.();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return true;
    throw error;
  }
}
