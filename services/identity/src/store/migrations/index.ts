import { kitMigration } from "@assistant/kit/database/kit-migration.js";
import type { Migrations } from "@assistant/kit/database/migrate.js";
import { identityMigration } from "./0001-identity.js";

/** In the order in which they run; forward only. */
export const migrations: Migrations = {
  "0000-kit": kitMigration,
  "0001-identity": identityMigration,
};
