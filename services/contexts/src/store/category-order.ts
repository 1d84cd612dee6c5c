import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { categoryColumns, scopeColumn } from "./told.js";

/** Those of the ids that are categories of a scope. */
export async function findMemberIds(
  sql: Sql,
  orgId: string,
  scopeId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await sql.query<{ id: string }>("category_order_members", findingMembers, [orgId, scopeId, ids]);
  return rows.map((row) => row.id);
}

/** Packs the categories of a scope that `lockScope` holds: the ids first, as they are, then the others as they were. */
export async function packCategories(tx: Tx, orgId: string, scopeId: string, ids: readonly string[]): Promise<void> {
  await tx.change(packing, [orgId, scopeId, ids]);
}

const findingMembers = "select id from context_categories where org_id = $1 and scope_id = $2 and id = any($3)";

const packing = changing({
  name: "category_order_pack",
  before: `
    ranked as (
      select id, (row_number() over (order by array_position($3::text[], id), stack_order, id) - 1)::integer as position
      from context_categories where org_id = $1 and scope_id = $2),
    counter as (
      update scopes set next_stack_order = (select count(*) from ranked) where org_id = $1 and scope_id = $2),`,
  effect: `
    update context_categories set stack_order = position, version = version + 1 from ranked
    where context_categories.id = ranked.id and stack_order <> position
    returning context_categories.id, org_id, stack_order, version, ${scopeColumn}`,
  event: { type: "contexts.context_category.updated", columns: categoryColumns },
});
