import { filters } from "@assistant/kit/database/filters.js";
import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { isVisible, type Sight, shownSources } from "./knowledge-visibility.js";
import { only } from "./only.js";
import type { Texts } from "./use-cases.js";

export type KnowledgeAssetCategory = "personal" | "managed" | "external";

/** What a knowledge asset says of itself. */
export interface KnowledgeAssetContent {
  label: Texts;
  /** Empty: not told. */
  description: Texts;
  knowledge_source_ids: readonly string[];
  is_selected_by_default: boolean;
  rerank_top_n: number;
  chunk_reranker_threshold: number;
  /** Empty: none. */
  icon_filename: string;
  fallback_strategy_tool_ids: readonly string[];
  load_page_assets: boolean;
  download_disabled: boolean;
}

export interface KnowledgeAssetRow extends KnowledgeAssetContent {
  id: string;
  org_id: string;
  category: KnowledgeAssetCategory;
  created_by: string;
  version: number;
  /** Null: in use. */
  deleted_at: Date | null;
}

/** An asset as somebody sees it. */
export interface SeenAssetRow extends KnowledgeAssetRow {
  /** Those of its sources that this person may see. */
  visible_source_ids: readonly string[];
}

export interface KnowledgeAssetKey {
  orgId: string;
  id: string;
}

export interface NewKnowledgeAsset extends KnowledgeAssetKey {
  category: KnowledgeAssetCategory;
  createdBy: string;
}

export async function insertKnowledgeAsset(tx: Tx, fresh: NewKnowledgeAsset, content: KnowledgeAssetContent) {
  const values = [fresh.orgId, fresh.id, ...valuesOf(content), fresh.category, fresh.createdBy];
  return only(await tx.change<KnowledgeAssetRow>(inserting, values));
}

/** Those of some assets that are visible, deleted or not, in no particular order. */
export function findSeenAssets(sql: Sql, sight: Sight, ids: readonly string[]): Promise<SeenAssetRow[]> {
  const where = filters("knowledge_assets_seen");
  const text = `
    select ${assetColumns}, ${shownSources(sight, where)} as visible_source_ids
    from knowledge_assets as asset
    where id = any(${where.bind(ids)}) and ${isVisible(sight, where)}`;
  return sql.query<SeenAssetRow>(where.name, text, where.values);
}

/** An asset, visible or not, also a deleted one. */
export async function findKnowledgeAsset(sql: Sql, { orgId, id }: KnowledgeAssetKey) {
  return (await sql.query<KnowledgeAssetRow>("knowledge_assets_find", finding, [orgId, id]))[0];
}

/** Holds an asset, visible or not, also a deleted one, until the end of the transaction. */
export async function lockKnowledgeAsset(tx: Sql, { orgId, id }: KnowledgeAssetKey) {
  return (await tx.query<KnowledgeAssetRow>("knowledge_assets_lock", locking, [orgId, id]))[0];
}

/** Changes an asset that `lockKnowledgeAsset` holds. */
export async function updateKnowledgeAsset(tx: Tx, { orgId, id }: KnowledgeAssetKey, content: KnowledgeAssetContent) {
  return only(await tx.change<KnowledgeAssetRow>(updating, [orgId, id, ...valuesOf(content)]));
}

/** Deletes an asset that `lockKnowledgeAsset` holds; it stays, to be restored. */
export async function removeKnowledgeAsset(tx: Tx, { orgId, id }: KnowledgeAssetKey): Promise<void> {
  only(await tx.change(removing, [orgId, id]));
}

/** Restores an asset that `lockKnowledgeAsset` holds. */
export async function restoreKnowledgeAsset(tx: Tx, { orgId, id }: KnowledgeAssetKey): Promise<KnowledgeAssetRow> {
  return only(await tx.change<KnowledgeAssetRow>(restoring, [orgId, id]));
}

const contentColumns = [
  "label",
  "description",
  "knowledge_source_ids",
  "is_selected_by_default",
  "rerank_top_n",
  "chunk_reranker_threshold",
  "icon_filename",
  "fallback_strategy_tool_ids",
  "load_page_assets",
  "download_disabled",
] as const satisfies readonly (keyof KnowledgeAssetContent)[];

const columnNames = ["id", "org_id", "category", "created_by", ...contentColumns, "version", "deleted_at"];
const columns = columnNames.join(", ");
export const assetColumns = columnNames.map((column) => `asset.${column}`).join(", ");

const finding = `select ${columns} from knowledge_assets where org_id = $1 and id = $2`;
const locking = `${finding} for update`;

/** What events tell of an asset. Its texts are long: whoever needs them asks. */
const told = ["id", "category", "knowledge_source_ids"];
const contentPlaces = contentColumns.map((_, index) => `$${index + 3}`);
const next = contentColumns.length + 3;

const inserting = changing({
  name: "knowledge_assets_insert",
  effect: `insert into knowledge_assets (org_id, id, ${contentColumns.join(", ")}, category, created_by, version)
    values ($1, $2, ${contentPlaces.join(", ")}, $${next}, $${next + 1}, 1) returning ${columns}`,
  event: { type: "catalog.knowledge_asset.created", columns: told },
});

const updating = changing({
  name: "knowledge_assets_update",
  effect: `update knowledge_assets
    set ${contentColumns.map((column, index) => `${column} = ${contentPlaces[index]}`).join(", ")}, version = version + 1
    where org_id = $1 and id = $2 returning ${columns}`,
  event: { type: "catalog.knowledge_asset.updated", columns: told },
});

const removing = changing({
  name: "knowledge_assets_remove",
  effect: `update knowledge_assets set deleted_at = now(), version = version + 1
    where org_id = $1 and id = $2 returning ${columns}`,
  event: { type: "catalog.knowledge_asset.deleted", columns: told },
});

const restoring = changing({
  name: "knowledge_assets_restore",
  effect: `update knowledge_assets set deleted_at = null, version = version + 1
    where org_id = $1 and id = $2 returning ${columns}`,
  event: { type: "catalog.knowledge_asset.restored", columns: told },
});

function valuesOf(content: KnowledgeAssetContent): unknown[] {
  const texts: readonly string[] = ["label", "description"];
  return contentColumns.map((column) => (texts.includes(column) ? JSON.stringify(content[column]) : content[column]));
}
