import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { contextColumns, scopeColumn } from "./told.js";
import { inUse } from "./use-cases.js";

/** Those of the ids that are contexts of a category, with their scopes. */
export async function findMembers(
  sql: Sql,
  orgId: string,
  categoryId: string,
  ids: readonly string[],
): Promise<{ id: string; scope_id: string }[]> {
  return sql.query("context_order_members", findingMembers, [orgId, categoryId, ids]);
}

/**
 * Packs the contexts of a category that `lockCategory` holds: the ids first, as they are, then the others as they were.
 */
export async function packContexts(tx: Tx, orgId: string, categoryId: string, ids: readonly string[]): Promise<void> {
  await tx.change(packing, [orgId, categoryId, ids]);
}

const findingMembers = `
  select id, scope_id from contexts where org_id = $1 and category_id = $2 and id = any($3) and ${inUse("contexts")}`;

// A context deleted or moved away while this waits for it is left alone; that leaves a gap, never a wrong order.
const packing = changing({
  name: "context_order_pack",
  before: `
    ranked as (
      select id, (row_number() over (order by array_position($3::text[], id), stack_order, id) - 1)::integer as position
      from contexts where org_id = $1 and category_id = $2),
    counter as (
      update context_categories set next_stack_order = (select count(*) from ranked) where org_id = $1 and id = $2),`,
  effect: `
    update contexts set stack_order = position, version = version + 1 from ranked
    where contexts.id = ranked.id and org_id = $1 and category_id = $2 and stack_order <> position
    returning contexts.id, org_id, category_id, stack_order, version, ${scopeColumn}`,
  event: { type: "contexts.context.updated", columns: contextColumns },
});
