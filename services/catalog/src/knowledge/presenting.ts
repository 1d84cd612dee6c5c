import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Sql } from "@assistant/kit/database/postgres.js";
import type { KnowledgeAssetSummary } from "@assistant/proto/assistant/catalog/v1/knowledge_asset_summaries.js";
import type { ManagedKnowledgeAsset } from "@assistant/proto/assistant/catalog/v1/knowledge_assets.js";
import { fieldIdsOf } from "../guided-fields/attachments.js";
import type { SeenAssetRow } from "../store/knowledge-assets.js";
import { findFilledSources } from "../store/knowledge-items.js";
import { presentCategory } from "./asset-words.js";

/** Assets as the API shows them, in the order of the rows. */
export async function presentAssets(sql: Sql, caller: Caller, rows: readonly SeenAssetRow[]) {
  const fieldIds = await fieldIdsOfAssets(sql, caller, rows);
  return rows.map((row) => presentAsset(row, fieldIds.get(row.id) ?? []));
}

/** Summaries of assets, in the order of the rows. */
export async function presentSummaries(sql: Sql, caller: Caller, rows: readonly SeenAssetRow[]) {
  const [fieldIds, filled] = await Promise.all([
    fieldIdsOfAssets(sql, caller, rows),
    findFilledSources(sql, [...new Set(rows.flatMap((row) => row.knowledge_source_ids))]),
  ]);
  return rows.map((row) => {
    const isEmpty = !row.knowledge_source_ids.some((id) => filled.has(id));
    return presentSummary(row, fieldIds.get(row.id) ?? [], isEmpty);
  });
}

export function presentSummary(
  row: SeenAssetRow,
  fieldIds: readonly string[],
  isEmpty: boolean,
): KnowledgeAssetSummary {
  return {
    id: row.id,
    label: row.label,
    description: row.description,
    knowledge_source_ids: [...row.visible_source_ids],
    category: presentCategory(row.category),
    icon_filename: row.icon_filename === "" ? undefined : row.icon_filename,
    is_selected_by_default: row.is_selected_by_default,
    load_page_assets: row.load_page_assets,
    download_disabled: row.download_disabled,
    guided_search_field_ids: [...fieldIds],
    is_empty: isEmpty,
  };
}

function presentAsset(row: SeenAssetRow, fieldIds: readonly string[]): ManagedKnowledgeAsset {
  return {
    id: row.id,
    label: row.label,
    description: row.description,
    knowledge_source_ids: [...row.visible_source_ids],
    is_selected_by_default: row.is_selected_by_default,
    deleted: row.deleted_at !== null,
    category: presentCategory(row.category),
    rerank_top_n: row.rerank_top_n,
    chunk_reranker_threshold: row.chunk_reranker_threshold,
    icon_filename: row.icon_filename === "" ? undefined : row.icon_filename,
    fallback_strategy_tool_ids: [...row.fallback_strategy_tool_ids],
    load_page_assets: row.load_page_assets,
    download_disabled: row.download_disabled,
    guided_search_field_ids: [...fieldIds],
  };
}

function fieldIdsOfAssets(sql: Sql, { orgId }: Caller, rows: readonly SeenAssetRow[]) {
  return fieldIdsOf(
    sql,
    orgId,
    "knowledge_asset",
    rows.map(({ id }) => id),
  );
}
