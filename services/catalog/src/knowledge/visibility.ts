import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Sql } from "@assistant/kit/database/postgres.js";
import { findSeenAssets, type SeenAssetRow } from "../store/knowledge-assets.js";
import type { Sight } from "../store/knowledge-visibility.js";

/** How a caller looks at knowledge assets. */
export function visibleAssets(caller: Caller): Sight {
  const { orgId, principalId, groupIds, role, useCaseId } = caller;
  const knowsAllSources = role === "admin" && useCaseId === undefined;
  return { orgId, principalId, principalIds: [principalId, ...groupIds, orgId], knowsAllSources, useCaseId };
}

/** Those of some assets that the caller may see, in the order of the ids; not those that are deleted. */
export async function findVisibleAssets(sql: Sql, caller: Caller, ids: readonly string[]): Promise<SeenAssetRow[]> {
  const rows = await findSeenAssets(sql, visibleAssets(caller), ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row === undefined || row.deleted_at !== null ? [] : [row];
  });
}
