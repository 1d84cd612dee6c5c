import { type Cut, cutPage, withinBudget } from "@assistant/kit/database/cut.js";
import type { Sql } from "@assistant/kit/database/postgres.js";
import type { ContextRow } from "./contexts.js";
import { inUse } from "./use-cases.js";

/** Where a resolved context stands: kind of scope, scope, position and id of its category, its own position and id. */
export type ResolvedPosition = readonly [number, string, number, string, number, string];

export interface ResolvedRow extends ContextRow {
  rank: number;
  category_order: number;
}

/** The contexts of some scopes in stacking order: org, groups, use case, user; in each by category and own position. */
export async function listResolved(
  sql: Sql,
  page: { orgId: string; scopeIds: readonly string[]; after: ResolvedPosition; pageSize: number },
): Promise<Cut<ResolvedRow>> {
  const values = [page.orgId, page.scopeIds, page.pageSize + 1, ...page.after];
  const rows = await sql.query<ResolvedRow & { found: number }>("contexts_resolve", resolving, values);
  return cutPage(rows, page.pageSize);
}

/** Before every context. */
export const RESOLVED_START: ResolvedPosition = [-1, "", -1, "", -1, ""];

const order = "rank, scope_id, category_order, category_id, stack_order, id";

const resolving = `
  with places as (
    select array_position(array['org', 'grp', 'uc', 'usr'], split_part(contexts.scope_id, '_', 1)) as rank,
      contexts.scope_id, category.stack_order as category_order, category_id, contexts.stack_order, contexts.id,
      octet_length(context) as bytes
    from contexts join context_categories as category on category.id = category_id
    where contexts.org_id = $1 and contexts.scope_id = any($2) and ${inUse("contexts")}),
  keys as (
    select * from places where (${order}) > ($4::integer, $5, $6::integer, $7, $8::integer, $9)
    order by ${order} limit $3),
  ${withinBudget(order)}
  select rank, category_order, cut.id, contexts.org_id, cut.scope_id, cut.category_id, title, context,
    cut.stack_order, version, found
  from cut join contexts on contexts.id = cut.id
  order by rank, cut.scope_id, category_order, cut.category_id, cut.stack_order, cut.id`;
