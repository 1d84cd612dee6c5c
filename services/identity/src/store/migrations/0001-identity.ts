import type { Migration } from "@assistant/kit/database/migrate.js";

/** Ids compare byte by byte whatever the database's locale: newest first is descending ids. */
export const identityMigration: Migration = {
  async up(knex) {
    await knex.raw(orgs);
    await knex.raw(people);
    await knex.raw(groups);
    await knex.raw(serviceAccounts);
    await knex.raw(tokens);
  },
};

const orgs = `
create table orgs (
  id text collate "C" primary key,
  name text not null,
  default_language text not null,
  version integer not null,
  created_at timestamptz not null default now()
)`;

// A user belongs to the org that made it, and may be a member of others. E-mail addresses are unique within an org:
// among its users, and among its members. Versions and places of memberships come from one sequence, so they grow
// also across the end of a membership and its return, and no reader takes the later one for the older.
const people = `
create table users (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs (id),
  email text not null,
  email_key text collate "C" not null,
  name text not null,
  status text not null default 'active' check (status in ('active', 'disabled')),
  platform_admin boolean not null default false,
  epoch integer not null default 1,
  version integer not null,
  created_at timestamptz not null default now(),
  unique (org_id, email_key)
);
create index users_newest on users (org_id, id);
create index users_email on users (email_key);
create index users_platform_admins on users (id) where platform_admin;
create sequence membership_versions as integer;
create table memberships (
  org_id text collate "C" not null references orgs (id),
  user_id text collate "C" not null references users (id),
  email_key text collate "C" not null,
  role text not null check (role in ('admin', 'editor', 'member')),
  place integer not null default nextval('membership_versions'),
  version integer not null default nextval('membership_versions'),
  created_at timestamptz not null default now(),
  primary key (org_id, user_id),
  unique (org_id, email_key)
);
create index memberships_newest on memberships (org_id, place);
create index memberships_user on memberships (user_id);
create index memberships_admins on memberships (org_id, user_id) where role = 'admin'`;

const groups = `
create table groups (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs (id),
  name text not null,
  version integer not null,
  created_at timestamptz not null default now(),
  unique (org_id, id)
);
create table group_members (
  org_id text collate "C" not null,
  group_id text collate "C" not null,
  principal_id text collate "C" not null,
  manager boolean not null,
  place integer not null default nextval('membership_versions'),
  version integer not null default nextval('membership_versions'),
  created_at timestamptz not null default now(),
  primary key (group_id, principal_id),
  foreign key (org_id, group_id) references groups (org_id, id) on delete cascade
);
create index group_members_newest on group_members (group_id, place);
create index group_members_principal on group_members (org_id, principal_id, group_id)`;

const serviceAccounts = `
create table service_accounts (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs (id),
  name text not null,
  role text not null check (role in ('admin', 'editor', 'member')),
  status text not null default 'active' check (status in ('active', 'disabled')),
  epoch integer not null default 1,
  version integer not null,
  created_at timestamptz not null default now(),
  unique (org_id, id)
);
create table service_account_keys (
  id text collate "C" primary key,
  org_id text collate "C" not null,
  service_account_id text collate "C" not null,
  secret_mac bytea not null,
  last4 text not null,
  scopes text[] not null,
  version integer not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  foreign key (org_id, service_account_id) references service_accounts (org_id, id) on delete cascade
);
create index service_account_keys_newest on service_account_keys (org_id, service_account_id, id)`;

const tokens = `
create table sessions (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs (id),
  principal_id text collate "C" not null,
  amr text[] not null,
  key_id text collate "C",
  version integer not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index sessions_expiry on sessions (expires_at);
create table signing_keys (
  kid text collate "C" primary key,
  public_x text not null,
  public_y text not null,
  private_sealed bytea not null,
  signs_from timestamptz not null,
  verifies_until timestamptz,
  created_at timestamptz not null default now()
)`;
