import type { Filters } from "@assistant/kit/database/filters.js";
import { inUse } from "./use-cases.js";

/** The scopes whose contents a caller may read. */
export interface Visible {
  orgId: string;
  scopeIds: readonly string[];
  /** Admins read every group of the org. */
  allGroups: boolean;
  /** All but guests read every use case of the org. */
  allUseCases: boolean;
}

/**
 * A query for the visible scopes that hold or held anything. Lists read each of them in order from an index and merge,
 * so that a page costs the same however far it is.
 */
export function visibleScopes(visible: Visible, scopeId: string | undefined, where: Filters): string {
  const parts = [
    `org_id = ${where.bind(visible.orgId)}`,
    "deleted_at is null",
    `(scope_id = any(${where.bind(visible.scopeIds)}) or (${where.bind(visible.allGroups)} and scope_id ^@ 'grp_')
      or (${where.bind(visible.allUseCases)} and scope_id ^@ 'uc_'))`,
    inUse("scopes"),
  ];
  if (scopeId !== undefined) {
    where.mark("scope");
    parts.push(`scope_id = ${where.bind(scopeId)}`);
  }
  return `select org_id, scope_id from scopes where ${parts.join(" and ")}`;
}
