import type { Migration } from "@assistant/kit/database/migrate.js";

/** Ids compare byte by byte whatever the database's locale: newest first is descending ids. */
export const knowledgeMigration: Migration = {
  async up(knex) {
    await knex.raw(sources);
    await knex.raw(grants);
    await knex.raw(assets);
    await knex.raw(assetSources);
    await knex.raw(items);
  },
};

const sources = `
create table knowledge_sources (
  id text collate "C" primary key,
  org_id text collate "C" not null,
  name text not null,
  version integer not null
);
create index knowledge_sources_newest on knowledge_sources (org_id, id)`;

// A grant's version also says which is the newer one, and one that is given again has a higher one than before.
// `principal_version` is how identity knew the principal when it was asked; a departure is the version at which the
// principal left. So a grant and a departure that overtake each other are told apart.
const grants = `
create table knowledge_grants (
  source_id text collate "C" not null references knowledge_sources on delete cascade,
  principal_id text collate "C" not null,
  org_id text collate "C" not null,
  principal_version bigint not null,
  version bigint generated always as identity,
  primary key (source_id, principal_id)
);
create index knowledge_grants_held on knowledge_grants (org_id, principal_id, source_id);
create index knowledge_grants_newest on knowledge_grants (source_id, version);
create table knowledge_departures (
  org_id text collate "C" not null,
  principal_id text collate "C" not null,
  sequence bigint not null,
  primary key (org_id, principal_id)
)`;

// What is deleted stays, so that it can be restored; lists pass it over.
const assets = `
create table knowledge_assets (
  id text collate "C" primary key,
  org_id text collate "C" not null,
  category text not null check (category in ('personal', 'managed', 'external')),
  created_by text collate "C" not null,
  label jsonb not null,
  description jsonb not null,
  knowledge_source_ids text[] collate "C" not null,
  is_selected_by_default boolean not null,
  rerank_top_n integer not null,
  chunk_reranker_threshold double precision not null,
  icon_filename text not null,
  fallback_strategy_tool_ids text[] not null,
  load_page_assets boolean not null,
  download_disabled boolean not null,
  version integer not null,
  deleted_at timestamptz
);
create index knowledge_assets_personal on knowledge_assets (org_id, created_by, id)
  where category = 'personal' and deleted_at is null;
create index knowledge_assets_external on knowledge_assets (org_id, id)
  where category = 'external' and deleted_at is null;
create index knowledge_assets_managed on knowledge_assets (org_id, id)
  where category = 'managed' and deleted_at is null;
create index knowledge_assets_sources on knowledge_assets using gin (knowledge_source_ids)`;

// The managed assets of each source, newest last, not those that are deleted: what a caller sees is read from here in
// order, so it is the database that keeps it true, whoever changes an asset.
const assetSources = `
create table knowledge_asset_sources (
  source_id text collate "C" not null,
  asset_id text collate "C" not null,
  primary key (source_id, asset_id)
);
create index knowledge_asset_sources_asset on knowledge_asset_sources (asset_id);
create function place_knowledge_asset() returns trigger language plpgsql as $$
begin
  delete from knowledge_asset_sources
    where asset_id = new.id and (new.deleted_at is not null or source_id <> all (new.knowledge_source_ids));
  if new.deleted_at is null then
    insert into knowledge_asset_sources (source_id, asset_id)
      select unnest(new.knowledge_source_ids), new.id on conflict do nothing;
  end if;
  return null;
end $$;
create trigger knowledge_assets_placed after insert or update of knowledge_source_ids, deleted_at on knowledge_assets
  for each row when (new.category = 'managed') execute function place_knowledge_asset()`;

// What has been synced into each source. The last word on an item stays, since events may overtake each other.
const items = `
create table knowledge_items (
  source_id text collate "C" not null references knowledge_sources on delete cascade,
  item_id text collate "C" not null,
  sequence bigint not null,
  is_present boolean not null,
  primary key (source_id, item_id)
);
create index knowledge_items_present on knowledge_items (source_id) where is_present`;
