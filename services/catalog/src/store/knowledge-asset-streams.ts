import { contains, type Filters } from "@assistant/kit/database/filters.js";
import type { KnowledgeAssetCategory } from "./knowledge-assets.js";
import { heldExpression, isVisible, type Sight, whereGranted } from "./knowledge-visibility.js";

/** What of the visible assets is asked for. */
export interface AssetsAsked {
  sight: Sight;
  text?: string | undefined;
  /** Only older ones than this. */
  before?: string | undefined;
}

/** Assets as a part of a statement; none of them is deleted. */
export interface AssetStream {
  /** Common table expressions that the query builds on. */
  expressions: readonly string[];
  /** Answers up to so many ids as the statement's limit says, the newest ones. */
  query: string;
}

export interface Statement {
  where: Filters;
  /** So many ids are of use at most. */
  limit: number;
}

/** Own personal assets, or external ones, read in order from an index. */
export function assetsOf(category: "personal" | "external", asked: AssetsAsked, { where, limit }: Statement) {
  const own = category === "personal" ? [`created_by = ${where.bind(asked.sight.principalId)}`] : [];
  const conditions = [...inCategory(category, asked, where), ...own, ...saying(asked, where)];
  const query = `select id from knowledge_assets as asset where ${conditions.join(" and ")} order by id desc limit ${limit}`;
  return { expressions: [], query };
}

/**
 * Managed assets, found by asking of the newest ones, source after source, whether the caller holds a grant: good where
 * many are visible, whatever the number of grants. It gives up after so many `looks` at grants; what it answers is of use
 * only where the condition holds.
 */
export function walkedAssets(
  asked: AssetsAsked,
  { where, limit }: Statement,
  looks: number,
): AssetStream & { condition: string } {
  const { sight } = asked;
  const most = where.bind(Math.ceil(looks / sight.principalIds.length));
  const said = saying(asked, where);
  const matching = `cross join lateral (
    select from knowledge_assets as asset where ${["asset.id = given.asset_id", ...said].join(" and ")} limit 1) as matching`;
  // An asset without sources counts, too: there may be many of them in a row.
  const walk = `(
    select asset.id as asset_id, source.id from knowledge_assets as asset
    left join lateral unnest(asset.knowledge_source_ids) as source (id) on true
    where ${inCategory("managed", asked, where).join(" and ")} order by asset.id desc limit ${most}) as given`;
  const walked = `select distinct given.asset_id as id from ${walk}
    ${whereGranted(sight, where)} ${said.length === 0 ? "" : matching}
    order by given.asset_id desc limit ${limit}`;
  return {
    expressions: [`walked as materialized (${walked})`],
    query: "select id from walked",
    condition: `((select count(*) from walked) = ${limit} or (select count(*) from ${walk}) < ${most})`,
  };
}

/**
 * Managed assets, merged from those of all sources that the caller holds: good where these are few, however few of the
 * assets are visible. No source is read further than the page may reach: not past as many of the newest of each source,
 * and where sources share these, not past what the first sources fill it with.
 */
export function mergedAssets(asked: AssetsAsked, { where, limit }: Statement): AssetStream {
  const said = saying(asked, where);
  const place = older("asset_id", asked, where);
  const newest = (source: string, most: number, ...more: string[]) => `
    select asset_id as id from knowledge_asset_sources as placed
    ${said.length === 0 ? "" : "join knowledge_assets as asset on asset.id = asset_id"}
    where ${[`source_id = ${source}`, ...place, ...more, ...said].join(" and ")} order by asset_id desc limit ${most}`;
  const lowestOf = (from: string) => `(
    select min(id) from (select distinct id from ${from} order by id desc limit ${limit}) as first having count(*) = ${limit})`;
  const firstSources = `(select source_id from heads order by id desc limit ${limit}) as head`;
  const end = "coalesce((select id from lowest), '')";
  return {
    expressions: [
      heldExpression(asked.sight, where),
      `heads as materialized (
        select held.id as source_id, head.id from held cross join lateral (${newest("held.id", 1)}) as head)`,
      `lowest (id) as materialized (select coalesce(${lowestOf("heads")},
        ${lowestOf(`${firstSources} cross join lateral (${newest("head.source_id", limit)}) as key`)}))`,
    ],
    query: `
      select distinct key.id from heads cross join lateral (
        ${newest("heads.source_id", limit, `asset_id >= ${end}`)}) as key
      where heads.id >= ${end} order by key.id desc limit ${limit}`,
  };
}

/** For guests, whose use case has few assets: those of them that are visible, of all categories or of one. */
export function attachedAssets(
  asked: AssetsAsked & { category?: KnowledgeAssetCategory | undefined },
  { where, limit }: Statement,
): AssetStream {
  const { sight, category } = asked;
  const only = category === undefined ? [] : [`asset.category = '${category}'`];
  const conditions = ["asset.deleted_at is null", ...only, ...older("asset.id", asked, where), ...saying(asked, where)];
  return {
    expressions: [
      `attached as materialized (
        select asset_id as id from use_case_assets where use_case_id = ${where.bind(sight.useCaseId)})`,
    ],
    query: `select asset.id from attached join knowledge_assets as asset using (id)
      where ${[...conditions, isVisible(sight, where)].join(" and ")} order by asset.id desc limit ${limit}`,
  };
}

function inCategory(category: KnowledgeAssetCategory, asked: AssetsAsked, where: Filters): string[] {
  const org = `asset.org_id = ${where.bind(asked.sight.orgId)}`;
  return [org, `asset.category = '${category}'`, "asset.deleted_at is null", ...older("asset.id", asked, where)];
}

function older(id: string, { before }: AssetsAsked, where: Filters): string[] {
  return before === undefined ? [] : [`${id} < ${where.bind(before)}`];
}

function saying({ text }: AssetsAsked, where: Filters): string[] {
  if (text === undefined) {
    return [];
  }
  const place = where.bind(text);
  const said = (column: string) =>
    `exists (select from jsonb_each_text(asset.${column}) where ${contains("value", place)})`;
  return [`(${said("label")} or ${said("description")})`];
}
