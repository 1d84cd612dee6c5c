import type { Filters } from "@assistant/kit/database/filters.js";
import type { Sql } from "@assistant/kit/database/postgres.js";

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
  const granted = `exists (select from knowledge_grants
    where org_id = asset.org_id and source_id = any(asset.knowledge_source_ids)
      and principal_id = any(${where.bind(sight.principalIds)}))`;
  const visible = `asset.org_id = ${where.bind(sight.orgId)} and case asset.category
    when 'managed' then ${granted}
    when 'personal' then asset.created_by = ${where.bind(sight.principalId)}
    else true end`;
  return [visible, ...attached(sight, "asset.id", where)].join(" and ");
}

/** The sources that a caller holds a grant on, as a query for their ids. */
export function heldSources(sight: Sight, where: Filters): string {
  const principals = where.bind(sight.principalIds);
  return `select distinct source_id from knowledge_grants
    where org_id = ${where.bind(sight.orgId)} and principal_id = any(${principals})`;
}

/** Those of the sources of `asset` that the caller may see, in order. */
export function visibleSources(sight: Sight, where: Filters): string {
  if (sight.knowsAllSources) {
    where.mark("all");
    return "asset.knowledge_source_ids";
  }
  const principals = where.bind(sight.principalIds);
  return `array(select given.id from unnest(asset.knowledge_source_ids) with ordinality as given (id, place)
    where exists (select from knowledge_grants
      where org_id = asset.org_id and source_id = given.id and principal_id = any(${principals}))
    order by place)`;
}

/** For guests: whether an asset is attached to their use case, which is there. */
export function attached({ orgId, useCaseId }: Sight, assetId: string, where: Filters): string[] {
  if (useCaseId === undefined) {
    return [];
  }
  where.mark("guest");
  const useCase = where.bind(useCaseId);
  return [
    `exists (select from use_case_assets join use_cases on use_cases.id = use_case_id
      where use_case_id = ${useCase} and asset_id = ${assetId}
        and use_cases.org_id = ${where.bind(orgId)} and use_cases.deleted_at is null)`,
  ];
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
