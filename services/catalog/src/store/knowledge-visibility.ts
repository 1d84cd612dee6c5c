import { type Filters, filters } from "@assistant/kit/database/filters.js";
import type { Sql } from "@assistant/kit/database/postgres.js";
import { only } from "./only.js";

/** Who looks at knowledge assets. */
export interface Sight {
  orgId: string;
  principalId: string;
  /** All that grants are made to and that the caller is or belongs to. */
  principalIds: readonly string[];
  /** Admins know of every knowledge source of the org, whoever holds a grant on it. */
  knowsAllSources: boolean;
  /** A guest's use case: nothing that is not attached to it is visible. */
  useCaseId: string | undefined;
}

/** Whether `asset`, deleted or not, is visible: managed ones by a grant, personal ones to their creator, external ones. */
export function isVisible(sight: Sight, where: Filters): string {
  const visible = `asset.org_id = ${where.bind(sight.orgId)} and case asset.category
    when 'managed' then exists (
      select from unnest(asset.knowledge_source_ids) as given (id) ${whereGranted(sight, where)})
    when 'personal' then asset.created_by = ${where.bind(sight.principalId)}
    else true end`;
  return [visible, ...attached(sight, where)].join(" and ");
}

/**
 * Joined to sources of the caller's org, `given.id`: leaves those that the caller holds a grant on, at the cost of one
 * look at the key for each principal at most. Left to choose, Postgres may rather read all grants of a source.
 */
export function whereGranted({ principalIds }: Sight, where: Filters): string {
  return `cross join lateral (
    select from unnest(${where.bind(principalIds)}::text[]) as mine (id) cross join lateral (
      select from knowledge_grants where source_id = given.id and principal_id = mine.id limit 1) as holding
    limit 1) as granted`;
}

/** The sources that a caller holds a grant on, as the common table expression `held (id)`. */
export function heldExpression(sight: Sight, where: Filters): string {
  return `held as materialized (select distinct source_id as id ${grantsOf(sight, where)})`;
}

/** How many grants a caller holds; at most this many are counted. */
export async function countGrants(sql: Sql, sight: Sight, most: number): Promise<number> {
  const where = filters("knowledge_grants_count");
  const text = `select count(*)::integer as grants from (select ${grantsOf(sight, where)} limit ${where.bind(most)}) as found`;
  const rows = await sql.query<{ grants: number }>(where.name, text, where.values);
  return only(rows).grants;
}

/**
 * Those of the sources of `asset` that the caller may see, in order. `known`: a common table expression that has at
 * least all of these among what the caller holds a grant on, where there is one.
 */
export function shownSources(sight: Sight, where: Filters, known?: string): string {
  if (sight.knowsAllSources) {
    where.mark("all");
    return "asset.knowledge_source_ids";
  }
  // `is true` keeps this a look into a hash table: how many sources are known, Postgres cannot guess.
  const condition =
    known === undefined ? whereGranted(sight, where) : `where (given.id in (select id from ${known})) is true`;
  return `array(select given.id from unnest(asset.knowledge_source_ids) with ordinality as given (id, place)
    ${condition} order by given.place)`;
}

/** `seen (id)`: of the sources of the assets named by `keys` those that the caller holds a grant on, each asked once. */
export function seenExpression(sight: Sight, where: Filters, keys: string): string {
  return `seen as materialized (
    select given.id from (
      select distinct source.id from ${keys} join knowledge_assets as asset using (id)
      cross join unnest(asset.knowledge_source_ids) as source (id)) as given
    ${whereGranted(sight, where)})`;
}

const findingInSight = `select id from unnest($2::text[]) with ordinality as given (id, place)
  where exists (select from knowledge_grants where org_id = $1 and source_id = id and principal_id = any($3))
  order by place`;

/** Of these sources those that the caller may see, in the same order. */
export async function findSourcesInSight(sql: Sql, sight: Sight, ids: readonly string[]): Promise<string[]> {
  const { orgId, principalIds, knowsAllSources } = sight;
  if (knowsAllSources) {
    return [...ids];
  }
  const values = [orgId, ids, principalIds];
  return (await sql.query<{ id: string }>("knowledge_sources_in_sight", findingInSight, values)).map(({ id }) => id);
}

function grantsOf({ orgId, principalIds }: Sight, where: Filters): string {
  return `from knowledge_grants where org_id = ${where.bind(orgId)} and principal_id = any(${where.bind(principalIds)})`;
}

/** For guests: whether `asset` is attached to their use case, which is there. */
function attached({ orgId, useCaseId }: Sight, where: Filters): string[] {
  if (useCaseId === undefined) {
    return [];
  }
  where.mark("guest");
  const useCase = where.bind(useCaseId);
  return [
    `exists (select from use_case_assets join use_cases on use_cases.id = use_case_id
      where use_case_id = ${useCase} and asset_id = asset.id
        and use_cases.org_id = ${where.bind(orgId)} and use_cases.deleted_at is null)`,
  ];
}
