import type { Migration } from "@assistant/kit/database/migrate.js";

export const magicLinksMigration: Migration = {
  async up(_knex) {
    // Filled in by its owner.
  },
};
