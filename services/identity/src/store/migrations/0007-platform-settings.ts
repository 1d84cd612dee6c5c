import type { Migration } from "@assistant/kit/database/migrate.js";

export const platformSettingsMigration: Migration = {
  async up(_knex) {
    // Filled in by its owner.
  },
};
