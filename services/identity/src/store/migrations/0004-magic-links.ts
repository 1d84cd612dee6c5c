import type { Migration } from "@assistant/kit/database/migrate.js";

export const magicLinksMigration: Migration = {
  async up(knex) {
    await knex.raw(guests);
    await knex.raw(links);
  },
};

// The account that guests of a use case act as, and the version at which the use case was deleted last. The account may
// be deleted like any other: the next link makes a new one.
const guests = `
create table use_case_guests (
  org_id text collate "C" not null references orgs (id),
  use_case_id text collate "C" not null,
  service_account_id text collate "C",
  label jsonb not null,
  deleted_version bigint not null default 0,
  primary key (org_id, use_case_id)
);
create index use_case_guests_account on use_case_guests (service_account_id) where service_account_id is not null`;

// Only a link that works is still sealed, and only such links are listed and sealed anew.
const links = `
create table magic_links (
  id text collate "C" primary key,
  org_id text collate "C" not null,
  kind text not null check (kind in ('service_account', 'use_case_qr')),
  service_account_id text collate "C" not null,
  use_case_id text collate "C",
  lookup bytea not null unique,
  sealed bytea,
  max_uses integer check (max_uses > 0),
  uses integer not null default 0,
  version integer not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  check ((kind = 'use_case_qr') = (use_case_id is not null)),
  check (sealed is null or (revoked_at is null and (max_uses is null or uses < max_uses))),
  foreign key (org_id, service_account_id) references service_accounts (org_id, id) on delete cascade
);
create index magic_links_account on magic_links (org_id, service_account_id, id);
create index magic_links_use_case on magic_links (org_id, use_case_id, id) where use_case_id is not null;
create index magic_links_expiry on magic_links (expires_at);
create index magic_links_sealed on magic_links (expires_at) where sealed is not null`;
