import { type Config, readConfig, variable } from "@assistant/kit/process/config.js";
import { migrationVariables, serviceVariables } from "@assistant/kit/process/variables.js";

/** Who may call this service, and whom it calls. */
export const calls = { allowedCallers: ["gateway", "contexts", "identity"], peers: ["identity"] } as const;

/** Throws one Error that lists everything wrong with the environment. */
export function serviceConfig(): Config<typeof serviceSpec> {
  return readConfig(serviceSpec, process.env);
}

/** What the migration needs, which runs as the owner of the schema. */
export function migrationConfig(): Config<typeof migrationVariables> {
  return readConfig(migrationVariables, process.env);
}

const serviceSpec = {
  ...serviceVariables,
  LISTEN: variable.text("127.0.0.1:50053"),
  IDENTITY_URL: variable.text("127.0.0.1:50052"),
  /** How long a deleted use case can be restored. */
  USE_CASE_KEPT_DAYS: variable.integer({ ge: 1, le: 3_650 }, 30),
};
