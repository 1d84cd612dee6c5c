import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { problem } from "./problem.mjs";

/**
 * What the operator chose, on the command line or in the environment.
 *
 * @typedef {{
 *   help: boolean, ephemeral: boolean, data: string | undefined, port: number, bind: string,
 *   nats: boolean, redis: boolean, demo: boolean, install: boolean,
 * }} Options
 */

const DEFAULT_PORT = 8080;

const START_OPTIONS = /** @type {const} */ ({
  ephemeral: { type: "boolean", default: false },
  data: { type: "string" },
  port: { type: "string" },
  bind: { type: "string" },
  "no-nats": { type: "boolean", default: false },
  "no-redis": { type: "boolean", default: false },
  "no-demo": { type: "boolean", default: false },
  "no-install": { type: "boolean", default: false },
  help: { type: "boolean", default: false },
});

const TOKEN_OPTIONS = /** @type {const} */ ({ user: { type: "string" }, port: { type: "string" } });

export const START_HELP = `Starts the whole platform on this machine.

  npm start -- [options]

  --port N      port of the API (PORT; default ${DEFAULT_PORT})
  --bind ADDR   address to listen on (BIND; default 127.0.0.1: this machine only)
  --data DIR    where everything is kept (default .data)
  --ephemeral   keep nothing and install nothing: a fresh folder, removed at the end
  --no-demo     no demo data
  --no-install  leave the machine as it is: else LibreOffice is installed in the background
                where it is missing, apt-get is there, and this runs as root
  --no-nats     events over Postgres, even where NATS_URL or nats-server is there
  --no-redis    rates in memory, even where REDIS_URL or redis-server is there
  --help        this text

Environment: DATABASE_URL (a user of Postgres who may create databases and roles), NATS_URL, REDIS_URL,
GOTENBERG_URL, OFFICE_PATH (the soffice to convert with), PUBLIC_URL, LOG_LEVEL.`;

/**
 * @param {readonly string[]} words
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Options}
 */
export function startOptions(words, environment) {
  refuseSwallowed(environment);
  const values = parsed(words, START_OPTIONS, "npm start -- --help");
  if (values.ephemeral && values.data !== undefined) throw problem("--ephemeral and --data exclude each other.");
  return {
    help: values.help === true,
    ephemeral: values.ephemeral === true,
    data: typeof values.data === "string" ? resolve(calledFrom(environment), named(values.data, "--data")) : undefined,
    port: portOf(values.port, environment) ?? DEFAULT_PORT,
    bind: named(values.bind ?? (environment.BIND || "127.0.0.1"), "--bind"),
    nats: values["no-nats"] !== true,
    redis: values["no-redis"] !== true,
    demo: values["no-demo"] !== true,
    install: values["no-install"] !== true,
  };
}

/**
 * What stands before `--` npm takes for itself, and tells nobody but its child.
 *
 * @param {NodeJS.ProcessEnv} environment
 */
function refuseSwallowed(environment) {
  const swallowed = Object.keys(START_OPTIONS).find(
    (name) => environment[`npm_config_${name.replace("no-", "")}`] !== undefined,
  );
  if (swallowed !== undefined) throw problem(`npm keeps --${swallowed} for itself: write npm start -- --${swallowed}.`);
}

/**
 * @param {readonly string[]} words
 * @param {NodeJS.ProcessEnv} environment
 * @returns {{ user: string | undefined, port: number | undefined }}
 */
export function tokenOptions(words, environment) {
  const values = parsed(words, TOKEN_OPTIONS, "npm run --silent token -- [--user EMAIL] [--port N]");
  const user = values.user === undefined ? undefined : named(values.user, "--user");
  return { user, port: portOf(values.port, environment) };
}

/**
 * @param {readonly string[]} words
 * @param {NonNullable<import("node:util").ParseArgsConfig["options"]>} options
 * @param {string} usage
 * @returns {Record<string, unknown>}
 */
function parsed(words, options, usage) {
  try {
    return parseArgs({ args: [...words], options, strict: true }).values;
  } catch (error) {
    const text = error instanceof Error ? error.message.split(". ")[0] : String(error);
    throw problem(`${text}. Usage: ${usage}`, error);
  }
}

/**
 * npm changes into the package's folder; what the operator typed is meant from where they stood.
 *
 * @param {NodeJS.ProcessEnv} environment
 */
function calledFrom(environment) {
  return environment.INIT_CWD ?? process.cwd();
}

/**
 * @param {unknown} option
 * @param {NodeJS.ProcessEnv} environment
 */
function portOf(option, environment) {
  const [text, source] = typeof option === "string" ? [option, "--port"] : [environment.PORT, "PORT"];
  if (text === undefined || (text === "" && source === "PORT")) return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) throw problem(`${source} must be 1 to 65535, not "${text}".`);
  return port;
}

/**
 * @param {unknown} value
 * @param {string} option
 */
function named(value, option) {
  if (typeof value !== "string" || value.trim() === "") throw problem(`${option} needs a value.`);
  return value;
}
