import { spawnSync } from "node:child_process";
import { lchownSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf, problem } from "./problem.mjs";

/**
 * Whom Postgres runs as: undefined means ourselves.
 *
 * @typedef {{ name: string, uid: number, gid: number }} Account
 */

// Postgres refuses to run as root; these users exist on practically every system.
const ACCOUNTS = ["postgres", "nobody"];

/** @returns {Account | undefined} */
export function postgresAccount() {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ACCOUNTS) {
    const uid = idOf("-u", name);
    const gid = idOf("-g", name);
    if (uid !== undefined && uid !== 0 && gid !== undefined) return { name, uid, gid };
  }
  throw problem(
    "Postgres refuses to run as root and there is neither a user postgres nor nobody: start as another user.",
  );
}

/**
 * Asked of the system itself: modes alone do not tell (access lists, namespaces, network file systems).
 *
 * @param {string} folder
 * @param {Account} account
 */
export function reaches(folder, account) {
  const answer = spawnSync("test", ["-x", folder], { uid: account.uid, gid: account.gid, cwd: "/", stdio: "ignore" });
  if (codeOf(answer.error) === "EPERM") {
    throw problem(`This root may not become user ${account.name}, and Postgres refuses root: start as another user.`);
  }
  if (answer.error !== undefined) throw answer.error;
  return answer.status === 0;
}

/**
 * @param {string} path
 * @param {Account | undefined} account
 */
export function giveTo(path, account) {
  if (account === undefined) return;
  const state = lstatSync(path);
  if (state.uid !== account.uid) lchownSync(path, account.uid, account.gid);
  if (!state.isDirectory()) return;
  for (const name of readdirSync(path)) giveTo(join(path, name), account);
}

/**
 * @param {string} option
 * @param {string} name
 */
function idOf(option, name) {
  const answer = spawnSync("id", [option, name], { encoding: "utf8" });
  return answer.status === 0 ? Number(answer.stdout) : undefined;
}
