import { type Cut, cutPage, withinBudget } from "@assistant/kit/database/cut.js";
import { filters } from "@assistant/kit/database/filters.js";
import type { Sql } from "@assistant/kit/database/postgres.js";
import {
  type AssetStream,
  type AssetsAsked,
  assetsOf,
  attachedAssets,
  mergedAssets,
  type Statement,
  walkedAssets,
} from "./knowledge-asset-streams.js";
import { assetColumns, type KnowledgeAssetCategory, type SeenAssetRow } from "./knowledge-assets.js";
import { countGrants, shownSources } from "./knowledge-visibility.js";

export interface KnowledgeAssetFilter extends AssetsAsked {
  /** Only this one. */
  category?: KnowledgeAssetCategory | undefined;
  pageSize: number;
}

/**
 * The assets that are visible, newest first; not those that are deleted. A page costs much the same however far it is,
 * however many assets there are that the caller may not see, and however many grants the caller holds.
 */
export async function listKnowledgeAssets(sql: Sql, filter: KnowledgeAssetFilter): Promise<Cut<SeenAssetRow>> {
  const { sight, category } = filter;
  const asksGrants = sight.useCaseId === undefined && (category === undefined || category === "managed");
  const grants = asksGrants ? await countGrants(sql, sight, GRANTS_COUNTED) : 0;
  const walked = grants > GRANTS_FEW ? await walkKnowledgeAssets(sql, filter, grants) : undefined;
  return walked ?? mergeKnowledgeAssets(sql, filter);
}

/** The page with managed assets by `walkedAssets`. Undefined: that gave up, or these are the last ones. */
export async function walkKnowledgeAssets(
  sql: Sql,
  filter: KnowledgeAssetFilter,
  grants: number,
): Promise<Cut<SeenAssetRow> | undefined> {
  const statement = statementFor("walk", filter);
  // To look as often as there are grants costs about what merging their sources costs, and that is left if this gives up.
  const { query } = walkedAssets(filter, statement, grants);
  const managed = { expressions: [`walked as materialized (${query})`], query: "select id from walked" };
  const others = filter.category === undefined ? OWN.map((own) => assetsOf(own, filter, statement)) : [];
  const condition = `(select count(*) from walked) = ${statement.limit}`;
  const page = await readPage(sql, filter, statement, { streams: [managed, ...others], condition });
  return page.rows.length === 0 ? undefined : page;
}

/** The page with managed assets by `mergedAssets`. */
export function mergeKnowledgeAssets(sql: Sql, filter: KnowledgeAssetFilter): Promise<Cut<SeenAssetRow>> {
  const { sight, category } = filter;
  const statement = statementFor("merge", filter);
  if (sight.useCaseId !== undefined) {
    return readPage(sql, filter, statement, { streams: [attachedAssets(filter, statement)] });
  }
  const categories = category === undefined ? (["managed", ...OWN] as const) : [category];
  const streams = categories.map((one) =>
    one === "managed" ? mergedAssets(filter, statement) : assetsOf(one, filter, statement),
  );
  const held = categories.includes("managed") ? "held" : undefined;
  return readPage(sql, filter, statement, { streams, held });
}

const OWN = ["personal", "external"] as const;

/** Merging the sources of so few grants takes a few milliseconds. */
const GRANTS_FEW = 1_000;
/** More are not counted: counting takes time, too. */
const GRANTS_COUNTED = 8_000;

function statementFor(way: string, { category, text, before, pageSize }: KnowledgeAssetFilter): Statement {
  const where = filters(`knowledge_assets_${way}_${category ?? "any"}`);
  where.mark(before === undefined ? "first" : "next");
  if (text !== undefined) {
    where.mark("text");
  }
  return { where, limit: where.bind(pageSize + 1) };
}

interface Reading {
  streams: readonly AssetStream[];
  /** Whether the streams are of use at all. */
  condition?: string | undefined;
  /** The expression that has all sources that the caller holds, where one does. */
  held?: string | undefined;
}

async function readPage(
  sql: Sql,
  { sight, pageSize }: KnowledgeAssetFilter,
  { where, limit }: Statement,
  { streams, condition = "true", held }: Reading,
): Promise<Cut<SeenAssetRow>> {
  const shown = shownSources(sight, where, "cut", held);
  const merged = streams.map(({ query }) => `(${query})`).join(" union ");
  const expressions = [
    ...streams.flatMap((stream) => stream.expressions),
    `visible as (select id from (${merged}) as streams where ${condition} order by id desc limit ${limit})`,
    `keys as (
      select id, octet_length(label::text) + octet_length(description::text)
        + octet_length(knowledge_source_ids::text) + octet_length(fallback_strategy_tool_ids::text) as bytes
      from visible join knowledge_assets using (id))`,
    withinBudget("id desc"),
    ...shown.expressions,
  ];
  const text = `with ${expressions.join(", ")}
    select ${assetColumns}, ${shown.ids} as visible_source_ids, found
    from cut join knowledge_assets as asset using (id) ${shown.join} order by id desc`;
  const rows = await sql.query<SeenAssetRow & { found: number }>(where.name, text, where.values);
  return cutPage(rows, pageSize);
}
