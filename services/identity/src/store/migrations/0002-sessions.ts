import type { Migration } from "@assistant/kit/database/migrate.js";

export const sessionsMigration: Migration = {
  async up(_knex) {
    // Filled in by its owner.
  },
};
