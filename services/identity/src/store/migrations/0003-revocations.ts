import type { Migration } from "@assistant/kit/database/migrate.js";

/** What makes access tokens void that have not expired: a session that ended, an epoch that was raised. */
export const revocationsMigration: Migration = {
  async up(knex) {
    await knex.raw(revocations);
  },
};

// Ids name their kind, so one of a session is none of a principal.
const revocations = `
create table revocations (
  subject text collate "C" primary key,
  kind text not null check (kind in ('sid', 'sub')),
  min_epoch integer,
  expires_at timestamptz not null,
  pushed_at timestamptz,
  check ((kind = 'sub') = (min_epoch is not null))
);
create index revocations_unpushed on revocations (expires_at) where pushed_at is null;
create index revocations_expiry on revocations (expires_at)`;
