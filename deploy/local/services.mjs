import { join } from "node:path";
import { nodeProgram } from "./node-program.mjs";
import { rememberedPort } from "./ports.mjs";
import { keepRunning } from "./processes.mjs";

/**
 * @typedef {import("./place.mjs").Place} Place
 * @typedef {import("./supervision.mjs").Part} Part
 * @typedef {{
 *   port: number, bind: string, publicUrl: string, databases: import("./migrations.mjs").Databases,
 *   natsUrl: string | undefined, redisUrl: string | undefined, officeStateFile: string,
 * }} Wiring
 * @typedef {(typeof SERVICES)[number]} ServiceName
 * @typedef {Record<ServiceName | "pages", string>} Addresses
 */

/** In the order in which they are started; they stop in the reverse one. */
const SERVICES = /** @type {const} */ (["identity", "catalog", "contexts", "conversion"]);

const FIRST_ORG = "Demo";
const FIRST_EMAIL = "admin@demo.example";

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
 * @param {Wiring} wiring
 * @param {Addresses} addresses
 * @param {ServiceName} name
 */
function startService(place, wiring, addresses, name) {
  const environment = {
    LISTEN: addresses[name],
    PUBLIC_URL: wiring.publicUrl,
    IDENTITY_URL: addresses.identity,
    CATALOG_URL: addresses.catalog,
    ...channelOf(wiring),
    ...(name === "conversion" ? foldersIn(place, wiring) : storeOf(place, wiring, name)),
    ...(name === "identity" && {
      HTTP_LISTEN: addresses.pages,
      BOOTSTRAP_TOKEN_FILE: place.secrets.bootstrapTokenFile,
      BOOTSTRAP_EMAIL: FIRST_EMAIL,
      BOOTSTRAP_ORG_NAME: FIRST_ORG,
    }),
  };
  return keepRunning(nodeProgram(place, mainOf(name), name, environment), place.watcher);
}

/**
 * @param {Place} place
 * @param {Wiring} wiring
 * @param {Exclude<ServiceName, "conversion">} name
 * @returns {Record<string, string>}
 */
function storeOf(place, { databases }, name) {
  return { DATABASE_URL: databases[name].url, KEYRING_FILE: place.secrets.keyringFile };
}

/**
 * Conversion keeps nothing but files.
 *
 * @param {Place} place
 * @param {Wiring} wiring
 * @returns {Record<string, string>}
 */
function foldersIn(place, { officeStateFile }) {
  const folder = join(place.folder, "conversion");
  return {
    WORK_FOLDER: join(folder, "work"),
    CACHE_FOLDER: join(folder, "cache"),
    OFFICE_STATE_FILE: officeStateFile,
  };
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
    CONVERSION_URL: addresses.conversion,
    ...channelOf(wiring),
    ...(wiring.redisUrl !== undefined && { REDIS_URL: wiring.redisUrl }),
  };
  return keepRunning(nodeProgram(place, mainOf("gateway"), "gateway", environment), place.watcher);
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
 * @returns {Promise<Addresses>}
 */
async function addressesOf(place) {
  const entries = [];
  for (const name of /** @type {const} */ ([...SERVICES, "pages"]))
    entries.push([name, `127.0.0.1:${await rememberedPort(place.portFile(name))}`]);
  // Every name was put in by the loop above.
  return /** @type {Addresses} */ (Object.fromEntries(entries));
}
