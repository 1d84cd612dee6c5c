import type { Migration } from "@assistant/kit/database/migrate.js";

export const profilesMigration: Migration = {
  async up(knex) {
    await knex.raw(profiles);
    await knex.raw(favorites);
    await knex.raw(oauthTokens);
    await knex.raw(models);
  },
};

// Who never chose anything has no row. A profile goes with its service account; users stay.
const profiles = `
create table profiles (
  principal_id text collate "C" generated always as (coalesce(user_id, service_account_id)) stored primary key,
  user_id text collate "C" references users (id),
  service_account_id text collate "C" references service_accounts (id) on delete cascade,
  preferred_language text,
  preferred_model text,
  active_org_id text collate "C",
  version integer not null default 1,
  updated_at timestamptz,
  check (num_nonnulls(user_id, service_account_id) = 1)
);
create index profiles_service_account on profiles (service_account_id) where service_account_id is not null`;

const favorites = `
create sequence favorite_places as integer;
create table favorites (
  principal_id text collate "C" not null references profiles (principal_id) on delete cascade,
  org_id text collate "C" not null references orgs (id),
  use_case_id text collate "C" not null,
  place integer not null default nextval('favorite_places'),
  primary key (principal_id, org_id, use_case_id)
);
create index favorites_use_case on favorites (org_id, use_case_id)`;

// What sync tells of the accounts that users connected; never a token.
const oauthTokens = `
create table oauth_token_status (
  credential_id text collate "C" primary key,
  org_id text collate "C" not null references orgs (id),
  user_id text collate "C" not null references users (id),
  provider text not null,
  scopes text[] not null,
  expires_at timestamptz,
  status text not null,
  sequence integer not null
);
create index oauth_token_status_user on oauth_token_status (org_id, user_id)`;

// Versions and places come from one sequence, so they grow also across the end of a model and its return. An org
// enables whatever it did not disable.
const models = `
create sequence model_versions as integer;
create table models (
  id text collate "C" primary key,
  name text not null,
  place integer not null default nextval('model_versions'),
  version integer not null default nextval('model_versions'),
  created_at timestamptz not null default now()
);
create index models_newest on models (place);
create table disabled_models (
  org_id text collate "C" not null references orgs (id),
  model_id text collate "C" not null references models (id) on delete cascade,
  primary key (org_id, model_id)
);
create index disabled_models_model on disabled_models (model_id)`;
