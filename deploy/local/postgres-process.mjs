import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { codeOf, problem } from "./problem.mjs";
import { isAlive } from "./process-mark.mjs";

/** @typedef {import("./postgres-cluster.mjs").Cluster} Cluster */
/** @typedef {{ pid: number, port: number }} Running */

const POLL_MS = 20;
const ADOPTION_MS = 60_000;
const STOP_STEPS = /** @type {const} */ ([
  ["SIGINT", 15_000],
  ["SIGQUIT", 5_000],
  ["SIGKILL", 5_000],
]);

/**
 * The server that an earlier launcher left running on this cluster, once it answers; undefined when there is none, or
 * it was just shutting down and is gone.
 *
 * @param {Cluster} cluster
 * @returns {Promise<Running | undefined>}
 */
export async function findRunning(cluster) {
  const file = join(cluster.data, "postmaster.pid");
  const giveUpAtMs = Date.now() + ADOPTION_MS;
  while (Date.now() < giveUpAtMs) {
    const noted = readPostmaster(file);
    if (noted === undefined || !isAlive(noted.pid)) return undefined;
    if (!serves(noted.pid, cluster.data)) {
      // The number belongs to another process by now; Postgres would take it for a server and refuse to start.
      rmSync(file, { force: true });
      return undefined;
    }
    if (noted.port !== undefined && (await answers(cluster, noted.port))) return { pid: noted.pid, port: noted.port };
    await sleep(POLL_MS);
  }
  throw problem(`The Postgres that runs on ${cluster.data} does not answer: stop it (kill -INT) and start again.`);
}

/**
 * @param {Cluster} cluster
 * @param {number} port
 */
export function urlOf(cluster, port) {
  return `postgres://postgres:${cluster.password}@127.0.0.1:${port}/postgres`;
}

/**
 * Whether the server on the port takes queries and is the one of this cluster.
 *
 * @param {Cluster} cluster
 * @param {number} port
 */
export async function answers(cluster, port) {
  const client = new pg.Client({ connectionString: urlOf(cluster, port), connectionTimeoutMillis: 2_000 });
  // A server that dies under an idle connection reports here; the query below fails by itself.
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query("select current_setting('data_directory') as folder");
    return rows[0]?.folder === cluster.data;
  } catch (error) {
    if (codeOf(error) === "28P01") {
      throw problem(`Postgres on port ${port} does not take the password in ${cluster.folder}/password.`, error);
    }
    return false;
  } finally {
    // What was to be learned is known; a connection that breaks while it is closed is closed too.
    await client.end().catch(() => undefined);
  }
}

/**
 * Asks ever more firmly: a fast shutdown, one without a checkpoint, the kernel.
 *
 * @param {number} pid
 */
export async function stopServer(pid) {
  for (const [signal, patienceMs] of STOP_STEPS) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    const giveUpAtMs = Date.now() + patienceMs;
    while (isAlive(pid) && Date.now() < giveUpAtMs) await sleep(POLL_MS);
  }
  if (isAlive(pid)) throw problem(`Postgres (process ${pid}) does not stop.`);
}

/**
 * At once, without a checkpoint: the next start replays what was not written yet.
 *
 * @param {number} pid
 */
export function killServer(pid) {
  if (isAlive(pid)) process.kill(pid, "SIGQUIT");
}

/** @param {string} file */
function readPostmaster(file) {
  try {
    const lines = readFileSync(file, "utf8").split("\n");
    const pid = Number(lines[0]);
    const port = Number(lines[3]);
    if (!Number.isInteger(pid) || pid <= 1) return undefined;
    return { pid, port: port > 0 ? port : undefined };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Whether the process was started on this data folder: the postmaster keeps its command line.
 *
 * @param {number} pid
 * @param {string} data
 */
function serves(pid, data) {
  if (process.platform === "win32") return true;
  if (process.platform !== "linux") {
    const answer = spawnSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" });
    return answer.stdout.includes(data);
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(data);
  } catch (error) {
    // Gone between the two looks.
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ESRCH") return false;
    throw error;
  }
}
