import type { Migration } from "@assistant/kit/database/migrate.js";

/** What is known of the use cases of catalog. Those that are gone for good stay too, so that no late event brings them back. */
export const useCasesMigration: Migration = {
  async up(knex) {
    await knex.raw(useCases);
  },
};

const useCases = `
create table use_cases (
  org_id text collate "C" not null,
  id text collate "C" not null,
  version integer not null,
  is_deleted boolean not null,
  primary key (org_id, id)
)`;
