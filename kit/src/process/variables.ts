import { variable } from "./config.js";

/** What every process takes from its environment. */
export const processVariables = {
  LOG_LEVEL: variable.oneOf(["fatal", "error", "warn", "info", "debug", "trace", "silent"], "info"),
  /** The release, for the log. */
  VERSION: variable.text("development"),
};

/** What a process takes that hears or tells events: NATS, or the database of the built-in bus. */
export const busVariables = {
  NATS_URL: variable.optional(variable.secret()),
  BUS_DATABASE_URL: variable.optional(variable.secret()),
};

/** What every service takes that has a database. */
export const serviceVariables = {
  ...processVariables,
  ...busVariables,
  DATABASE_URL: variable.secret(),
  POOL_MAX: variable.integer({ ge: 2, le: 200 }, 10),
  KEYRING: variable.secret(),
  /** The address that clients know; the issuer of tokens. */
  PUBLIC_URL: variable.url("http://127.0.0.1:8080"),
};

/** What a migration takes, which runs as the owner of the schema. */
export const migrationVariables = { ...processVariables, MIGRATE_DATABASE_URL: variable.secret() };
