import { join } from "node:path";
import { rememberedPort } from "./ports.mjs";
import { problem } from "./problem.mjs";
import { keepRunning, runOnce } from "./processes.mjs";

/**
 * @typedef {import("./place.mjs").Place} Place
 * @typedef {import("./databases.mjs").Database} Database
 * @typedef {import("./supervision.mjs").Part} Part
 * @typedef {{
 *   port: number, bind: string, publicUrl: string, databases: Record<StoreName, Database>,
 *   natsUrl: string | undefined, redisUrl: string | undefined,
 * }} Wiring
 * @typedef {(typeof SERVICES)[number]} ServiceName
 * @typedef {(typeof STORES)[number]} StoreName
 * @typedef {Record<ServiceName | "pages", string>} Addresses
 */

/** In the order in which they are started; they stop in the reverse one. */
const SERVICES = /** @type {const} */ (["identity", "catalog", "contexts"]);

/** The databases: one of each service, and one of the built-in bus. */
export const STORES = /** @type {const} */ ([...SERVICES, "bus"]);

// A little more than a service grants itself to drain.
const GRACE_MS = 27_000;
const FIRST_ORG = "Demo";
const FIRST_EMAIL = "admin@demo.example";
// One person tries, tests and measures here, all from one address; what others do to a public platform does not happen.
const ROOMY_RATES = {
  RATE_READ_PER_MINUTE: "600000",
  RATE_WRITE_PER_MINUTE: "300000",
  RATE_TOKEN_PER_MINUTE: "600",
  RATE_LOGIN_PER_MINUTE: "600",
  RATE_ACS_PER_MINUTE: "600",
  RATE_CONSUME_PER_MINUTE: "600",
};
// What we set for the processes; the same names in our own environment, or as files, are not meant for them.
const OURS =
  /^((HTTP_)?LISTEN|PORT|BIND|KEYRING|BOOTSTRAP_\w+|\w*DATABASE_URL|(PUBLIC|REDIS|NATS|IDENTITY|IDENTITY_HTTP|CATALOG|CONTEXTS)_URL)(_FILE)?$/;

/**
 * Brings the schemas of all databases up to date, each by its own command and as the owner of the database.
 *
 * @param {Place} place
 * @param {Wiring["databases"]} databases
 */
export async function migrateAll(place, databases) {
  const scripts = /** @type {const} */ ([
    ...SERVICES.map((name) => /** @type {const} */ ([name, join("services", name, "dist", "migrate.js")])),
    ["bus", join("deploy", "local", "migrate-bus.mjs")],
  ]);
  await Promise.all(scripts.map(([name, script]) => migrate(place, name, script, databases[name])));
}

/**
 * Starts every service and the gateway at once: none waits for another.
 *
 * @param {Place} place
 * @param {Wiring} wiring
 * @param {Part[]} parts where each is put as soon as it runs
 */
export async function startServices(place, wiring, parts) {
  const addresses = await addressesOf(place);
  for (const name of SERVICES) parts.push(startService(place, wiring, addresses, name));
  parts.push(startGateway(place, wiring, addresses));
}

/**
 * @param {Place} place
 * @param {StoreName} name
 * @param {string} script
 * @param {Database} database
 */
async function migrate(place, name, script, database) {
  const program = node(place, script, `${name}-migrate`, { MIGRATE_DATABASE_URL: database.ownerUrl });
  const failure = await runOnce(program, place.watcher);
  if (failure === undefined) return;
  if (/No space left|53100/.test(failure)) throw problem("The disk is full: free some space and start again.");
  throw problem(`The database of ${name} cannot be migrated: ${failure} (log: ${program.logFile})`);
}

/**
 * @param {Place} place
 * @param {Wiring} wiring
 * @param {Addresses} addresses
 * @param {ServiceName} name
 */
function startService(place, wiring, addresses, name) {
  const environment = {
    LISTEN: addresses[name],
    DATABASE_URL: wiring.databases[name].url,
    KEYRING_FILE: place.secrets.keyringFile,
    PUBLIC_URL: wiring.publicUrl,
    IDENTITY_URL: addresses.identity,
    CATALOG_URL: addresses.catalog,
    ...channelOf(wiring),
    ...(name === "identity" && {
      HTTP_LISTEN: addresses.pages,
      BOOTSTRAP_TOKEN_FILE: place.secrets.bootstrapTokenFile,
      BOOTSTRAP_EMAIL: FIRST_EMAIL,
      BOOTSTRAP_ORG_NAME: FIRST_ORG,
    }),
  };
  return keepRunning(node(place, mainOf(name), name, environment), place.watcher);
}

/**
 * @param {Place} place
 * @param {Wiring} wiring
 * @param {Addresses} addresses
 */
function startGateway(place, wiring, addresses) {
  const environment = {
    PORT: String(wiring.port),
    BIND: wiring.bind,
    PUBLIC_URL: wiring.publicUrl,
    IDENTITY_URL: addresses.identity,
    IDENTITY_HTTP_URL: `http://${addresses.pages}`,
    CATALOG_URL: addresses.catalog,
    CONTEXTS_URL: addresses.contexts,
    ...channelOf(wiring),
    ...(wiring.redisUrl !== undefined && { REDIS_URL: wiring.redisUrl }),
  };
  return keepRunning(node(place, mainOf("gateway"), "gateway", environment), place.watcher);
}

/**
 * Where events go, and where everybody is told of revocations.
 *
 * @param {Wiring} wiring
 * @returns {Record<string, string>}
 */
function channelOf({ natsUrl, databases }) {
  return natsUrl === undefined ? { BUS_DATABASE_URL: databases.bus.url } : { NATS_URL: natsUrl };
}

/** @param {string} service */
function mainOf(service) {
  return join("services", service, "dist", "main.js");
}

/**
 * @param {Place} place
 * @param {string} script
 * @param {string} name
 * @param {Record<string, string>} environment
 * @returns {import("./processes.mjs").Program}
 */
function node(place, script, name, environment) {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([key]) => !OURS.test(key)));
  return {
    name,
    command: process.execPath,
    words: ["--enable-source-maps", join(place.root, script)],
    folder: place.root,
    // A proxy for the world outside is none for our own processes; gRPC would ask it.
    environment: {
      NODE_ENV: "production",
      ...ROOMY_RATES,
      ...inherited,
      no_grpc_proxy: "127.0.0.1,localhost",
      ...environment,
    },
    logFile: place.logFile(name),
    graceMs: GRACE_MS,
  };
}

/**
 * @param {Place} place
 * @returns {Promise<Addresses>}
 */
async function addressesOf(place) {
  const entries = [];
  for (const name of /** @type {const} */ ([...SERVICES, "pages"]))
    entries.push([name, `127.0.0.1:${await rememberedPort(place.portFile(name))}`]);
  // Every name was put in by the loop above.
  return /** @type {Addresses} */ (Object.fromEntries(entries));
}
