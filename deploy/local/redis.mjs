import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { executable } from "./executable.mjs";
import { rememberedPort } from "./ports.mjs";
import { keepRunning } from "./processes.mjs";

/** @typedef {import("./place.mjs").Place} Place */

const GRACE_MS = 5_000;

/**
 * A Redis server that keeps nothing, since it holds rate windows only; undefined where the machine has none.
 *
 * @param {Place} place
 * @returns {Promise<{ url: string, part: import("./supervision.mjs").Part } | undefined>}
 */
export async function startRedis(place) {
  const command = executable("redis-server");
  if (command === undefined) return undefined;
  const port = await rememberedPort(place.portFile("redis"));
  const password = place.secrets.password("redis");
  const configFile = join(place.folder, "redis.conf");
  const lines = ["bind 127.0.0.1", `port ${port}`, 'save ""', "appendonly no", `requirepass ${password}`];
  writeFileSync(configFile, `${lines.join("\n")}\n`, { mode: 0o600 });
  const part = keepRunning(
    {
      name: "redis-server",
      command,
      words: [configFile],
      folder: place.folder,
      environment: process.env,
      logFile: place.logFile("redis-server"),
      graceMs: GRACE_MS,
    },
    place.watcher,
  );
  return { url: `redis://:${password}@127.0.0.1:${port}`, part };
}
