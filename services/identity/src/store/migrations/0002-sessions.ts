import type { Migration } from "@assistant/kit/database/migrate.js";

export const sessionsMigration: Migration = {
  async up(knex) {
    await knex.raw(sessions);
    await knex.raw(refreshTokens);
    await knex.raw(loginHistory);
    await knex.raw(signingKeys);
    await knex.raw(serviceAccountKeys);
  },
};

// `ends_at` is the limit that nothing of a session outlives, `expires_at` when it ends unless it is prolonged before.
// Without a scope of its own a session may do whatever its principal may.
const sessions = `
alter table sessions
  add column scope text,
  add column use_case_id text collate "C",
  add column link_id text collate "C",
  add column connection_id text collate "C",
  add column name_id text collate "C",
  add column session_index text collate "C",
  add column address text,
  add column user_agent text,
  add column last_used_at timestamptz,
  add column ends_at timestamptz;
create index sessions_newest on sessions (org_id, id) where ended_at is null;
create index sessions_principal on sessions (principal_id, id) where ended_at is null;
create index sessions_key on sessions (key_id) where key_id is not null and ended_at is null;
create index sessions_link on sessions (link_id) where link_id is not null and ended_at is null;
create index sessions_connection on sessions (connection_id, name_id)
  where connection_id is not null and ended_at is null`;

// All tokens of a session stay as long as it does: who shows one that was used before is told from who made one up.
const refreshTokens = `
create table refresh_tokens (
  hash bytea primary key,
  session_id text collate "C" not null references sessions (id) on delete cascade,
  generation integer not null,
  used_at timestamptz,
  client_hash bytea,
  successor_sealed bytea,
  unique (session_id, generation)
);
create index refresh_tokens_sealed on refresh_tokens (used_at) where successor_sealed is not null`;

// Outlives the sessions that it tells of.
const loginHistory = `
create table login_history (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs (id),
  principal_id text collate "C" not null,
  session_id text collate "C" not null,
  method text not null check (method in ('saml', 'magic_link', 'qr_link', 'bootstrap')),
  address text,
  user_agent text,
  at timestamptz not null
);
create index login_history_newest on login_history (principal_id, id);
create index login_history_at on login_history (at)`;

const signingKeys = "create index signing_keys_until on signing_keys (verifies_until)";

// A key is rotated once: who repeats the request in vain makes no further keys.
const serviceAccountKeys = "alter table service_account_keys add column replaced_at timestamptz";
