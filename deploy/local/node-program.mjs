import { join } from "node:path";

// A little more than a service grants itself to drain.
const GRACE_MS = 27_000;
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
  /^((HTTP_)?LISTEN|PORT|BIND|KEYRING|BOOTSTRAP_\w+|\w*DATABASE_URL|(PUBLIC|REDIS|NATS|IDENTITY|IDENTITY_HTTP|CATALOG|CONTEXTS|CONVERSION)_URL|(WORK|CACHE)_FOLDER|OFFICE_STATE_FILE)(_FILE)?$/;

/**
 * A process of the platform's own code.
 *
 * @param {import("./place.mjs").Place} place
 * @param {string} script
 * @param {string} name
 * @param {Record<string, string>} environment
 * @returns {import("./processes.mjs").Program}
 */
export function nodeProgram(place, script, name, environment) {
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
