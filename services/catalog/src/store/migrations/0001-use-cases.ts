import type { Migration } from "@assistant/kit/database/migrate.js";

/** Ids compare byte by byte whatever the database's locale: newest first is descending ids. */
export const useCasesMigration: Migration = {
  async up(knex) {
    await knex.raw(useCases);
  },
};

// What is deleted stays, so that it can be restored; lists pass it over.
const useCases = `
create table use_cases (
  id text collate "C" primary key,
  org_id text collate "C" not null,
  label jsonb not null,
  description jsonb not null,
  sync_connectors text[] not null,
  credential_ids text[] not null,
  sync_connectors_enabled_user_credentials text[] not null,
  version integer not null,
  deleted_at timestamptz
);
create index use_cases_newest on use_cases (org_id, id) where deleted_at is null`;
