import { type Config, readConfig, variable } from "@assistant/kit/process/config.js";

/** Who may call this service, and whom it calls. */
export const calls = { allowedCallers: ["gateway", "identity"], peers: ["identity"] } as const;

/** Throws one Error that lists everything wrong with the environment. */
export function serviceConfig(): Config<typeof serviceSpec> {
  return readConfig(serviceSpec, process.env);
}

/** What the migration needs, which runs as the owner of the schema. */
export function migrationConfig(): Config<typeof migrationSpec> {
  return readConfig(migrationSpec, process.env);
}

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const log = {
  LOG_LEVEL: variable.oneOf(LOG_LEVELS, "info"),
  /** The release, for the log. */
  VERSION: variable.text("development"),
};

const serviceSpec = {
  LISTEN: variable.text("127.0.0.1:50053"),
  DATABASE_URL: variable.secret(),
  POOL_MAX: variable.integer({ ge: 2, le: 200 }, 10),
  NATS_URL: variable.optional(variable.secret()),
  BUS_DATABASE_URL: variable.optional(variable.secret()),
  IDENTITY_URL: variable.text("127.0.0.1:50052"),
  KEYRING: variable.secret(),
  PUBLIC_URL: variable.url("http://127.0.0.1:8080"),
  ...log,
};

const migrationSpec = { MIGRATE_DATABASE_URL: variable.secret(), ...log };
