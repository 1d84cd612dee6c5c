import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import type { UseCaseKey } from "./use-cases.js";

/** Ids of the assets attached to a use case, in their order; deleted ones too. */
export async function listAttachedAssets(sql: Sql, { orgId, id }: UseCaseKey): Promise<string[]> {
  const rows = await sql.query<{ asset_id: string }>("use_case_assets_list", listing, [orgId, id]);
  return rows.map((row) => row.asset_id);
}

export interface Attachment {
  assetId: string;
  /** Absent: where it is, or after all others. */
  position?: number | undefined;
}

/** Attaches an asset to a use case that is held, or moves it. The version of the use case; undefined: as it was already. */
export async function attachAsset(
  tx: Tx,
  { orgId, id }: UseCaseKey,
  { assetId, position }: Attachment,
): Promise<number | undefined> {
  const values = [orgId, id, assetId, position ?? null];
  return (await tx.change<{ version: number }>(attaching, values))[0]?.version;
}

/** Detaches an asset from a use case that is held. The version of the use case; undefined: it was not attached. */
export async function detachAsset(tx: Tx, { orgId, id }: UseCaseKey, assetId: string): Promise<number | undefined> {
  return (await tx.change<{ version: number }>(detaching, [orgId, id, assetId]))[0]?.version;
}

const listing = `
  select asset_id from use_case_assets join use_cases on use_cases.id = use_case_id
  where org_id = $1 and use_case_id = $2 order by position, asset_id`;

// What is attached is a part of the use case: its version counts these changes too, and the events are about it.
const attaching = changing({
  name: "use_case_assets_attach",
  before: `
    next as (select least(coalesce(max(position) + 1, 0), 1000000) as position from use_case_assets where use_case_id = $2),
    placed as (
      insert into use_case_assets as attached (use_case_id, asset_id, position)
      select $2, $3, coalesce($4::integer, next.position) from next
      on conflict (use_case_id, asset_id) do update set position = excluded.position
      where $4::integer is not null and attached.position <> excluded.position
      returning asset_id, position),`,
  effect: `
    update use_cases set version = version + 1 from placed where org_id = $1 and id = $2
    returning id, org_id, version, asset_id as knowledge_asset_id, position`,
  event: { type: "catalog.use_case.asset_attached", columns: ["id", "knowledge_asset_id", "position"] },
});

const detaching = changing({
  name: "use_case_assets_detach",
  before: "gone as (delete from use_case_assets where use_case_id = $2 and asset_id = $3 returning asset_id),",
  effect: `
    update use_cases set version = version + 1 from gone where org_id = $1 and id = $2
    returning id, org_id, version, asset_id as knowledge_asset_id`,
  event: { type: "catalog.use_case.asset_detached", columns: ["id", "knowledge_asset_id"] },
});
