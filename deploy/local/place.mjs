import { randomBytes } from "node:crypto";
import { mkdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { foldersElsewhere, passableFolder } from "./folders.mjs";
import { postgresAccount } from "./postgres-account.mjs";
import { problem } from "./problem.mjs";
import { openSecrets } from "./secrets.mjs";

export const EPHEMERAL_PREFIX = "assistant-platform-ephemeral-";

/**
 * Where one platform keeps everything, and who watches its processes.
 *
 * @typedef {{
 *   root: string, folder: string, logFolder: string, isEphemeral: boolean, secrets: import("./secrets.mjs").Secrets,
 *   portFile: (name: string) => string, logFile: (name: string) => string,
 *   watcher: import("./processes.mjs").Watcher,
 * }} Place
 */

/**
 * The data folder: the one named, a fresh one, or `.data` in the checkout. As root Postgres runs as another user; where
 * that user cannot pass, the default lies elsewhere.
 *
 * @param {string} root
 * @param {import("./options.mjs").Options} options
 * @param {boolean} ownPostgres
 * @returns {string}
 */
export function dataFolder(root, options, ownPostgres) {
  const account = ownPostgres ? postgresAccount() : undefined;
  const wanted = wantedFolder(root, options);
  const folders =
    options.data === undefined && account !== undefined ? [wanted, ...foldersElsewhere(wanted)] : [wanted];
  const folder = folders.find((candidate) => passableFolder(candidate, account) !== undefined);
  if (folder !== undefined) return realpathSync(folder);
  throw problem(
    `Postgres runs as user ${account?.name} here, who cannot reach ${wanted}: name another folder with --data DIR.`,
  );
}

/**
 * @param {string} root
 * @param {import("./options.mjs").Options} options
 */
function wantedFolder(root, options) {
  if (!options.ephemeral) return options.data ?? join(root, ".data");
  return join(tmpdir(), `${EPHEMERAL_PREFIX}${randomBytes(6).toString("hex")}`);
}

/**
 * @param {{ root: string, folder: string, isEphemeral: boolean, watcher: import("./processes.mjs").Watcher }} options
 * @returns {Place}
 */
export function openPlace({ root, folder, isEphemeral, watcher }) {
  for (const name of ["logs", "ports"]) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  return {
    root,
    folder,
    logFolder: join(folder, "logs"),
    isEphemeral,
    secrets: openSecrets(folder),
    portFile: (name) => join(folder, "ports", name),
    logFile: (name) => join(folder, "logs", `${name}.log`),
    watcher,
  };
}
