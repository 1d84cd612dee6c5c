import { type Cut, cutPage, withinBudget } from "@assistant/kit/database/cut.js";
import { contains, type Filters, filters } from "@assistant/kit/database/filters.js";
import type { Sql } from "@assistant/kit/database/postgres.js";
import { assetColumns, type KnowledgeAssetCategory, type SeenAssetRow } from "./knowledge-assets.js";
import { attached, heldSources, type Sight, visibleSources } from "./knowledge-visibility.js";

export interface KnowledgeAssetFilter {
  sight: Sight;
  /** Only this one. */
  category?: KnowledgeAssetCategory | undefined;
  text?: string | undefined;
  /** Only older ones than this. */
  before?: string | undefined;
  pageSize: number;
}

/**
 * The assets that are visible, newest first; not those that are deleted. Each held source, the personal and the external
 * ones are read in order from an index and merged: a page costs the same however far it is, and however many assets
 * there are that the caller may not see.
 */
export async function listKnowledgeAssets(sql: Sql, filter: KnowledgeAssetFilter): Promise<Cut<SeenAssetRow>> {
  const where = filters("knowledge_assets_list");
  const limit = `limit ${where.bind(filter.pageSize + 1)}`;
  const before = filter.before === undefined ? undefined : where.bind(filter.before);
  where.mark(before === undefined ? "first" : "next");
  const streams = streamsOf(filter, { where, limit, before });
  const text = `
    with held as materialized (${heldSources(filter.sight, where)}),
    visible as (select id from (${streams.map((stream) => `(${stream})`).join(" union ")}) as streams order by id desc ${limit}),
    keys as (
      select id, octet_length(label::text) + octet_length(description::text)
        + octet_length(knowledge_source_ids::text) + octet_length(fallback_strategy_tool_ids::text) as bytes
      from visible join knowledge_assets using (id)),
    ${withinBudget("id desc")}
    select ${assetColumns}, ${visibleSources(filter.sight, where)} as visible_source_ids, found
    from cut join knowledge_assets as asset using (id) order by id desc`;
  const rows = await sql.query<SeenAssetRow & { found: number }>(where.name, text, where.values);
  return cutPage(rows, filter.pageSize);
}

interface Page {
  where: Filters;
  limit: string;
  /** The place of the id that the page starts after. */
  before: string | undefined;
}

function streamsOf({ sight, category, text }: KnowledgeAssetFilter, page: Page): string[] {
  const { where, limit, before } = page;
  const said = text === undefined ? undefined : saying(where, text);
  const conditions = (id: string, ...own: string[]) =>
    [...own, ...(before === undefined ? [] : [`${id} < ${before}`]), ...attached(sight, id, where)].join(" and ");
  const ofCategory = (name: KnowledgeAssetCategory, ...own: string[]) => {
    const parts = [`org_id = ${where.bind(sight.orgId)}`, `category = '${name}'`, "deleted_at is null", ...own];
    return `select id from knowledge_assets as asset
      where ${conditions("asset.id", ...parts, ...(said === undefined ? [] : [said]))} order by id desc ${limit}`;
  };
  const streams: Record<KnowledgeAssetCategory, () => string> = {
    managed: () => `select distinct key.id from held cross join lateral (
      select asset_id as id from knowledge_asset_sources as placed
      ${said === undefined ? "" : "join knowledge_assets as asset on asset.id = asset_id"}
      where ${conditions("asset_id", "source_id = held.source_id", ...(said === undefined ? [] : [said]))}
      order by asset_id desc ${limit}) as key order by id desc ${limit}`,
    personal: () => ofCategory("personal", `created_by = ${where.bind(sight.principalId)}`),
    external: () => ofCategory("external"),
  };
  if (category !== undefined) {
    where.mark(category);
    return [streams[category]()];
  }
  return Object.values(streams).map((stream) => stream());
}

function saying(where: Filters, text: string): string {
  where.mark("text");
  const place = where.bind(text);
  const said = (column: string) =>
    `exists (select from jsonb_each_text(asset.${column}) where ${contains("value", place)})`;
  return `(${said("label")} or ${said("description")})`;
}
