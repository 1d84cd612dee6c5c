import type { Migration } from "@assistant/kit/database/migrate.js";

export const samlMigration: Migration = {
  async up(knex) {
    await knex.raw(domains);
    await knex.raw(connections);
    await knex.raw(logins);
    await knex.raw(keys);
  },
};

// A domain is one org's: its users may be found by their e-mail addresses in it.
const domains = `
create table org_domains (
  domain text collate "C" primary key,
  org_id text collate "C" not null references orgs (id),
  verified_at timestamptz not null,
  version integer not null
);
create index org_domains_org on org_domains (org_id, domain)`;

// Two orgs may share an identity provider, and an org may have it once. What a provider sends without being asked names
// no connection, so that only one connection of a provider may take it.
const connections = `
create table saml_connections (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs (id),
  slug text collate "C" not null unique,
  name text not null,
  entity_id text collate "C" not null,
  sso_url text not null,
  sso_binding text not null check (sso_binding in ('redirect', 'post')),
  slo_url text,
  slo_binding text not null check (slo_binding in ('redirect', 'post')),
  slo_response_url text,
  certificates text[] not null,
  metadata_url text,
  want_response_signed boolean not null,
  allow_cbc boolean not null,
  allow_idp_initiated boolean not null,
  clock_skew_ms integer not null,
  nameid_format text not null check (nameid_format in ('persistent', 'email_address', 'any')),
  attribute_mapping jsonb not null,
  group_mapping jsonb not null,
  sync_mode text not null check (sync_mode in ('import', 'force')),
  jit boolean not null,
  link_by_email boolean not null,
  default_role text not null check (default_role in ('admin', 'editor', 'member')),
  enabled boolean not null,
  config_version integer not null,
  version integer not null,
  metadata_due_at timestamptz,
  metadata_read_at timestamptz,
  metadata_failure text,
  created_at timestamptz not null default now(),
  unique (org_id, entity_id),
  unique (org_id, id)
);
create index saml_connections_newest on saml_connections (org_id, id);
create index saml_connections_entity on saml_connections (entity_id);
create unique index saml_connections_unasked on saml_connections (entity_id) where allow_idp_initiated;
create index saml_connections_due on saml_connections (metadata_due_at) where metadata_url is not null`;

// Of what browsers carry only hashes are kept: who reads these rows can answer nothing with them.
const logins = `
create table saml_requests (
  id text collate "C" primary key,
  org_id text collate "C" not null,
  connection_id text collate "C" not null,
  purpose text not null check (purpose in ('login', 'logout')),
  config_version integer not null,
  relay_hash bytea not null,
  return_to text not null,
  browser_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  foreign key (org_id, connection_id) references saml_connections (org_id, id) on delete cascade
);
create index saml_requests_expiry on saml_requests (expires_at);
create table saml_consumed (
  connection_id text collate "C" not null,
  assertion_hash bytea not null,
  org_id text collate "C" not null,
  expires_at timestamptz not null,
  primary key (connection_id, assertion_hash),
  foreign key (org_id, connection_id) references saml_connections (org_id, id) on delete cascade
);
create index saml_consumed_expiry on saml_consumed (expires_at);
create table saml_identities (
  connection_id text collate "C" not null,
  name_id text collate "C" not null,
  org_id text collate "C" not null,
  user_id text collate "C" not null references users (id),
  created_at timestamptz not null default now(),
  primary key (connection_id, name_id),
  unique (connection_id, user_id),
  foreign key (org_id, connection_id) references saml_connections (org_id, id) on delete cascade
);
create index saml_identities_user on saml_identities (user_id);
create table login_codes (
  code_hash bytea primary key,
  org_id text collate "C" not null,
  connection_id text collate "C" not null,
  config_version integer not null,
  browser_hash bytea not null,
  user_id text collate "C" not null,
  name_id text not null,
  session_index text,
  session_ends_at timestamptz,
  return_to text not null,
  expires_at timestamptz not null,
  foreign key (org_id, connection_id) references saml_connections (org_id, id) on delete cascade
);
create index login_codes_expiry on login_codes (expires_at)`;

// Keys of the platform itself, which every org's identity provider knows: they belong to no org.
const keys = `
create table saml_sp_keys (
  id text collate "C" primary key,
  certificate text not null,
  private_sealed bytea not null,
  signs_from timestamptz not null,
  decrypts_until timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
)`;
