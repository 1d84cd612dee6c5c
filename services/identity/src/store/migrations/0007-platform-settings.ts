import type { Migration } from "@assistant/kit/database/migrate.js";

export const platformSettingsMigration: Migration = {
  async up(knex) {
    await knex.raw(platformSettings);
    await knex.raw(favicons);
  },
};

// There is one platform: one row.
const platformSettings = `
create table platform_settings (
  id text collate "C" primary key default 'platform' check (id = 'platform'),
  name text not null,
  support_email text,
  support_url text,
  version integer not null default 1
);
insert into platform_settings (name) values ('Assistant Platform')`;

// No row: the built-in icon. Versions come from a sequence, so they grow also across its return.
const favicons = `
create sequence favicon_versions as integer;
create table favicons (
  id text collate "C" primary key default 'favicon' check (id = 'favicon'),
  media_type text not null,
  content bytea not null,
  sha256 text not null,
  version integer not null default nextval('favicon_versions')
)`;
