import { join } from "node:path";
import { nodeProgram } from "./node-program.mjs";
import { problem } from "./problem.mjs";
import { runOnce } from "./processes.mjs";

/**
 * @typedef {(typeof STORES)[number]} StoreName
 * @typedef {Record<StoreName, import("./databases.mjs").Database>} Databases
 */

/** The databases: one of each service that keeps something, and one of the built-in bus. */
export const STORES = /** @type {const} */ (["identity", "catalog", "contexts", "bus"]);

/**
 * Brings the schemas of all databases up to date, as their owners.
 *
 * @param {import("./place.mjs").Place} place
 * @param {Databases} databases
 */
export async function migrateAll(place, databases) {
  const urls = STORES.map((name) => [`${name.toUpperCase()}_DATABASE_URL`, databases[name].ownerUrl]);
  const script = join("deploy", "local", "migrate.mjs");
  const program = nodeProgram(place, script, "migrations", Object.fromEntries(urls));
  const failure = await runOnce(program, place.watcher);
  if (failure === undefined) return;
  if (/No space left|53100/.test(failure)) throw problem("The disk is full: free some space and start again.");
  throw problem(`The databases cannot be migrated: ${failure} (log: ${program.logFile})`);
}
