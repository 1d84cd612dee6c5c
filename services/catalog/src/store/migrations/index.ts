import { kitMigration } from "@assistant/kit/database/kit-migration.js";
import type { Migrations } from "@assistant/kit/database/migrate.js";
import { useCasesMigration } from "./0001-use-cases.js";
import { guidedFieldsMigration } from "./0002-guided-fields.js";
import { knowledgeMigration } from "./0003-knowledge.js";
import { useCaseAssetsMigration } from "./0004-use-case-assets.js";

export const migrations: Migrations = {
  "0000-kit": kitMigration,
  "0001-use-cases": useCasesMigration,
  "0002-guided-fields": guidedFieldsMigration,
  "0003-knowledge": knowledgeMigration,
  "0004-use-case-assets": useCaseAssetsMigration,
};
