import { checkFree, hostOf, urlAt } from "./address.mjs";
import { build } from "./build.mjs";
import { dropDatabases, openDatabases } from "./databases.mjs";
import { migrateAll, STORES } from "./migrations.mjs";
import { startNats } from "./nats.mjs";
import { resolveOffice } from "./office.mjs";
import { keepPostgres } from "./postgres-part.mjs";
import { problem } from "./problem.mjs";
import { whenReady } from "./readiness.mjs";
import { startRedis } from "./redis.mjs";
import { startServices } from "./services.mjs";

/**
 * @typedef {import("./supervision.mjs").Part} Part
 * @typedef {import("./place.mjs").Place} Place
 * @typedef {{
 *   url: string, choices: Record<"Postgres" | "Events" | "Rates" | "Office", string>, install: (() => Part) | undefined,
 * }} Platform
 */

/**
 * Starts everything, in as few steps as depend on each other. Each part is put on `parts` as soon as it runs, so that
 * whoever called can stop what there is, however far this came.
 *
 * @param {{ place: Place, options: import("./options.mjs").Options, parts: Part[], signal: AbortSignal }} start
 * @returns {Promise<Platform>}
 */
export async function startPlatform({ place, options, parts, signal }) {
  const { bind, port } = options;
  await checkFree(bind, port);
  const [postgres, nats, redis, office] = await allSettled([
    resolvePostgres(place, parts),
    resolveNats(place, options, parts),
    resolveRedis(place, options, parts),
    buildThenOffice(place, options),
  ]);
  signal.throwIfAborted();
  await migrateAll(place, postgres.databases);
  signal.throwIfAborted();
  const url = urlAt(bind, port);
  const publicUrl = process.env.PUBLIC_URL || url;
  const wiring = { port, bind, publicUrl, databases: postgres.databases, natsUrl: nats.url, redisUrl: redis.url };
  await startServices(place, { ...wiring, officeStateFile: office.stateFile }, parts);
  await whenReady({ url, parts, logs: place.logFolder, signal });
  const choices = { Postgres: postgres.choice, Events: nats.choice, Rates: redis.choice, Office: office.choice };
  return { url, choices, install: office.install };
}

/**
 * LibreOffice is looked for as the conversion service does, of whose code there is none before it is built.
 *
 * @param {Place} place
 * @param {import("./options.mjs").Options} options
 */
async function buildThenOffice(place, options) {
  await build(place.root);
  const search = await import("@assistant/conversion/office/find-office.js");
  return resolveOffice({ place, options, search });
}

/**
 * The server named, else one of our own.
 *
 * @param {Place} place
 * @param {Part[]} parts
 */
async function resolvePostgres(place, parts) {
  const given = process.env.DATABASE_URL;
  const { password, platformId } = place.secrets;
  const holder = { id: platformId, folder: place.folder };
  if (given) {
    if (!URL.canParse(given))
      throw problem("DATABASE_URL is no URL: postgres://user:password@host:5432/postgres is one.");
    const databases = await openDatabases(given, STORES, password, holder);
    if (place.isEphemeral) parts.push(temporaryDatabases(given));
    return { databases, choice: `${new URL(given).host} (DATABASE_URL)` };
  }
  const { url, origin, part } = await keepPostgres(place);
  parts.push(part);
  const databases = await openDatabases(url, STORES, password, holder);
  return { databases, choice: `${origin} at ${new URL(url).host}` };
}

/**
 * On the list of parts before all that use them, so that they go last.
 *
 * @param {string} url
 * @returns {Part}
 */
function temporaryDatabases(url) {
  return {
    name: "databases",
    crashes: () => 0,
    lastCrash: () => "",
    stop: () => dropDatabases(url, STORES),
    kill: () => {},
  };
}

/**
 * The server named, else one of the machine, else the bus that is built in.
 *
 * @param {Place} place
 * @param {import("./options.mjs").Options} options
 * @param {Part[]} parts
 */
async function resolveNats(place, options, parts) {
  const builtIn = { url: undefined, choice: "built-in bus over Postgres" };
  if (!options.nats) return builtIn;
  const given = process.env.NATS_URL;
  if (given) return { url: given, choice: `NATS at ${hostOf(given)} (NATS_URL)` };
  const started = await startNats(place);
  if (started === undefined) return builtIn;
  parts.push(started.part);
  return { url: started.url, choice: `NATS JetStream (nats-server) at ${hostOf(started.url)}` };
}

/**
 * The server named, else one of the machine, else the gateway's own memory.
 *
 * @param {Place} place
 * @param {import("./options.mjs").Options} options
 * @param {Part[]} parts
 */
async function resolveRedis(place, options, parts) {
  const inMemory = { url: undefined, choice: "in memory" };
  if (!options.redis) return inMemory;
  const given = process.env.REDIS_URL;
  if (given) return { url: given, choice: `Redis at ${hostOf(given)} (REDIS_URL)` };
  const started = await startRedis(place);
  if (started === undefined) return inMemory;
  parts.push(started.part);
  return { url: started.url, choice: `Redis (redis-server) at ${hostOf(started.url)}` };
}

/**
 * Like Promise.all, but even a failure waits for the others: what they start must be on the list of parts by then.
 *
 * @template {readonly unknown[]} Values
 * @param {{ [index in keyof Values]: Promise<Values[index]> }} promises
 * @returns {Promise<Values>}
 */
async function allSettled(promises) {
  await Promise.allSettled(promises);
  // A tuple of promises becomes the tuple of their values; the mapped type hides that from the compiler.
  return /** @type {Promise<Values>} */ (/** @type {unknown} */ (Promise.all(promises)));
}
