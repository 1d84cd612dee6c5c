import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { withDeathSignal } from "./death-signal.mjs";
import { openLogFile, textSince } from "./log-file.mjs";
import { rememberedPort } from "./ports.mjs";
import { postgresEnvironment, program } from "./postgres-binaries.mjs";
import { openCluster, refusal } from "./postgres-cluster.mjs";
import { answers, findRunning, killServer, stopServer, urlOf } from "./postgres-process.mjs";
import { problem } from "./problem.mjs";
import { isAlive } from "./process-mark.mjs";

/**
 * A running server of our own.
 *
 * @typedef {{
 *   url: string, folder: string, port: number, pid: number, origin: string, adopted: boolean,
 *   ended: Promise<void>, stop: () => Promise<void>, kill: () => void,
 * }} Postgres
 * @typedef {import("./postgres-cluster.mjs").Cluster} Cluster
 */

const POLL_MS = 20;
const READY_MS = 120_000;
const RETRY_MS = [50, 100, 200, 400, 800, 1_600, 3_200];
// Left behind by a killed server until its last process has noticed, or a port taken since we looked.
const PASSING =
  /shared memory block|lock file .* already exists|could not (bind|create any TCP)|Address already in use/;
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  timezone: "UTC",
  log_timezone: "UTC",
};

/**
 * Starts Postgres on a folder, or takes over the server that already runs on it. `ended` resolves when the server is
 * gone, asked or not; after that the same folder may be started again.
 *
 * The folder is Postgres' alone. As root it may end up elsewhere (see `folder` of the answer): Postgres then runs as
 * another user, who must be able to get there. `port` insists on one; else a free one is taken and remembered.
 *
 * @param {{ folder: string, log: (line: string) => void, settings?: Record<string, string>, port?: number }} options
 * @returns {Promise<Postgres>}
 */
export async function startPostgres({ folder, log, settings = {}, port }) {
  const cluster = await openCluster({ folder, durable: settings.fsync !== "off" });
  const running = await findRunning(cluster);
  if (running !== undefined) {
    log(`Postgres is still running (process ${running.pid}): taken over`);
    return owned(cluster, running, true, whenGone(running.pid));
  }
  for (const delayMs of RETRY_MS) {
    const started = await launch(cluster, settings, port ?? (await rememberedPort(join(cluster.folder, "port"))));
    if (started.refusal === undefined) return owned(cluster, started, false, started.ended);
    log(`Postgres is not up yet, trying again: ${started.refusal.message}`);
    await sleep(delayMs);
  }
  throw problem(`Postgres does not start in ${cluster.folder}: see ${cluster.log}`);
}

/**
 * @param {Cluster} cluster
 * @param {{ pid: number, port: number }} running
 * @param {boolean} adopted
 * @param {Promise<void>} ended
 * @returns {Postgres}
 */
function owned(cluster, { pid, port }, adopted, ended) {
  const { major, origin } = cluster.binaries;
  return {
    url: urlOf(cluster, port),
    folder: cluster.folder,
    port,
    pid,
    origin: `Postgres ${major} (${origin})`,
    adopted,
    ended,
    stop: () => stopServer(pid),
    kill: () => killServer(pid),
  };
}

/**
 * @param {Cluster} cluster
 * @param {Record<string, string>} settings
 * @param {number} port
 * @returns {Promise<{ refusal: Error } | { refusal: undefined, pid: number, port: number, ended: Promise<void> }>}
 */
async function launch(cluster, settings, port) {
  const { handle, size } = openLogFile(cluster.log);
  const child = start(cluster, { ...SETTINGS, ...settings, port: String(port) }, handle);
  closeSync(handle);
  /** @type {Promise<void>} */
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => resolve());
  });
  let isGone = false;
  const gone = ended.then(() => {
    isGone = true;
  });
  const giveUpAtMs = Date.now() + READY_MS;
  // Nobody waits for the process itself: the launcher may end first where starting failed elsewhere.
  child.unref();
  while (!isGone && child.pid !== undefined) {
    if (await answers(cluster, port)) return { refusal: undefined, pid: child.pid, port, ended };
    if (Date.now() > giveUpAtMs) {
      await stopServer(child.pid);
      throw problem(`Postgres does not answer within ${READY_MS / 1_000} s: see ${cluster.log}`);
    }
    await Promise.race([gone, sleep(POLL_MS)]);
  }
  await gone;
  const said = textSince(cluster.log, size);
  const refused = refusal(cluster.folder, said);
  if (PASSING.test(said)) return { refusal: refused };
  throw refused;
}

/**
 * @param {Cluster} cluster
 * @param {Record<string, string>} settings
 * @param {number} output
 */
function start(cluster, settings, output) {
  const { account, binaries, data, folder } = cluster;
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const [command, words] = withDeathSignal("INT", program(binaries, "postgres"), ["-D", data, ...options]);
  return spawn(command, words, {
    ...(account && { uid: account.uid, gid: account.gid }),
    cwd: folder,
    env: postgresEnvironment(),
    stdio: ["ignore", output, output],
    // Out of the terminal's reach: an interrupt is for the launcher, which stops Postgres last.
    detached: process.platform !== "win32",
  });
}

/** @param {number} pid */
async function whenGone(pid) {
  while (isAlive(pid)) await sleep(200, undefined, { ref: false });
}
