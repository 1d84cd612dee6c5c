import type { Migration } from "@assistant/kit/database/migrate.js";

export const profilesMigration: Migration = {
  async up(_knex) {
    // Filled in by its owner.
  },
};
