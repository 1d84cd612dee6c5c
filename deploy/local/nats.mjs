import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { executable } from "./executable.mjs";
import { rememberedPort } from "./ports.mjs";
import { problem } from "./problem.mjs";
import { keepRunning } from "./processes.mjs";

/** @typedef {import("./place.mjs").Place} Place */

const GRACE_MS = 10_000;
const USER = "platform";

/**
 * A NATS server with JetStream in the data folder; undefined where the machine has none.
 *
 * @param {Place} place
 * @returns {Promise<{ url: string, part: import("./supervision.mjs").Part } | undefined>}
 */
export async function startNats(place) {
  const command = executable("nats-server");
  if (command === undefined) return undefined;
  const port = await rememberedPort(place.portFile("nats"));
  const password = place.secrets.password("nats");
  const configFile = configure(command, place, port, password);
  const part = keepRunning(
    {
      name: "nats-server",
      command,
      words: ["-c", configFile],
      folder: place.folder,
      environment: process.env,
      logFile: place.logFile("nats-server"),
      graceMs: GRACE_MS,
    },
    place.watcher,
  );
  return { url: `nats://${USER}:${password}@127.0.0.1:${port}`, part };
}

/**
 * A server flushes to disk every two minutes only, unless told to do so always, which one before 2.10 cannot be told.
 *
 * @param {string} command
 * @param {Place} place
 * @param {number} port
 * @param {string} password
 */
function configure(command, place, port, password) {
  const file = join(place.folder, "nats.conf");
  const store = JSON.stringify(join(place.folder, "nats"));
  let refusal = "";
  for (const jetstream of [`{ store_dir: ${store}, sync_interval: always }`, `{ store_dir: ${store} }`]) {
    const lines = [
      `listen: "127.0.0.1:${port}"`,
      `jetstream ${jetstream}`,
      `authorization { user: "${USER}", password: "${password}" }`,
    ];
    writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
    const check = spawnSync(command, ["-t", "-c", file], { encoding: "utf8" });
    if (check.status === 0) return file;
    refusal = check.stderr.trim();
  }
  throw problem(`${command} does not take its configuration (${refusal}): start with --no-nats.`);
}
