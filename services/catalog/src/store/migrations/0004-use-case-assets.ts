import type { Migration } from "@assistant/kit/database/migrate.js";

export const useCaseAssetsMigration: Migration = {
  async up(knex) {
    await knex.raw(useCaseAssets);
    await knex.raw(deletedUseCases);
  },
};

// Several assets may have one position; their ids decide then. Assets are only ever marked as deleted, so what is
// attached to a use case stays attached to it, and comes back with the asset.
const useCaseAssets = `
create table use_case_assets (
  use_case_id text collate "C" not null references use_cases on delete cascade,
  asset_id text collate "C" not null references knowledge_assets,
  position integer not null,
  primary key (use_case_id, asset_id)
);
create index use_case_assets_of_asset on use_case_assets (asset_id, use_case_id)`;

const deletedUseCases = "create index use_cases_deleted on use_cases (deleted_at, id) where deleted_at is not null";
