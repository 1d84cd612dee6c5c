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
import { countGrants, seenExpression, shownSources } from "./knowledge-visibility.js";

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
  // To look as often as there are grants costs about what merging costs, which is left to do where that is too little.
  const walked = grants > GRANTS_FEW ? await walkKnowledgeAssets(sql, filter, grants) : undefined;
  return walked ?? mergeKnowledgeAssets(sql, filter);
}

/** The page with managed assets by `walkedAssets`. Undefined: that gave up, or the page is empty. */
export async function walkKnowledgeAssets(
  sql: Sql,
  filter: KnowledgeAssetFilter,
  looks: number,
): Promise<Cut<SeenAssetRow> | undefined> {
  const statement = statementFor("walk", filter);
  const { condition, ...managed } = walkedAssets(filter, statement, looks);
  const others = filter.category === undefined ? OWN.map((own) => assetsOf(own, filter, statement)) : [];
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
  const known = categories.includes("managed") ? "held" : undefined;
  return readPage(sql, filter, statement, { streams, known });
}

const OWN = ["personal", "external"] as const;

/** Merging the sources of so few grants takes a few milliseconds. */
const GRANTS_FEW = 1_000;
/** More are not counted: counting takes time, too. */
const GRANTS_COUNTED = 8_000;

function statementFor(way: string, { category, text, before, pageSize }: KnowledgeAssetFilter): Statement {
  const limit = LIMITS.find((most) => most > pageSize) ?? LIMIT_MOST;
  const where = filters(`knowledge_assets_${way}_${category ?? "any"}_${limit}`);
  where.mark(before === undefined ? "first" : "next");
  if (text !== undefined) {
    where.mark("text");
  }
  return { where, limit };
}

// Written out, since Postgres makes a plan once and for all only where it knows how much is read. One more than a page
// tells whether there is another.
const LIMIT_MOST = 201;
const LIMITS = [51, LIMIT_MOST];

interface Reading {
  streams: readonly AssetStream[];
  /** Whether the streams are of use at all. */
  condition?: string | undefined;
  /** The expression that has all sources that the caller holds a grant on, where one does. */
  known?: string | undefined;
}

async function readPage(
  sql: Sql,
  { sight, pageSize }: KnowledgeAssetFilter,
  { where }: Statement,
  { streams, condition = "true", known }: Reading,
): Promise<Cut<SeenAssetRow>> {
  const merged = streams.map(({ query }) => `(${query})`).join(" union ");
  const expressions = [
    ...streams.flatMap((stream) => stream.expressions),
    `visible as (select id from (${merged}) as streams where ${condition} order by id desc limit ${where.bind(pageSize + 1)})`,
    `keys as (
      select id, octet_length(label::text) + octet_length(description::text)
        + octet_length(knowledge_source_ids::text) + octet_length(fallback_strategy_tool_ids::text) as bytes
      from visible join knowledge_assets using (id))`,
    withinBudget("id desc"),
    ...(known === undefined && !sight.knowsAllSources ? [seenExpression(sight, where, "cut")] : []),
  ];
  const text = `with ${expressions.join(", ")}
    select ${assetColumns}, ${shownSources(sight, where, known ?? "seen")} as visible_source_ids, found
    from cut join knowledge_assets as asset using (id) order by id desc`;
  const rows = await sql.query<SeenAssetRow & { found: number }>(where.name, text, where.values);
  return cutPage(rows, pageSize);
}
