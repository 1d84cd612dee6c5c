import { kitMigration } from "@assistant/kit/database/kit-migration.js";
import type { Migrations } from "@assistant/kit/database/migrate.js";
import { contextsMigration } from "./0001-contexts.js";
import { useCasesMigration } from "./0002-use-cases.js";

export const migrations: Migrations = {
  "0000-kit": kitMigration,
  "0001-contexts": contextsMigration,
  "0002-use-cases": useCasesMigration,
};
