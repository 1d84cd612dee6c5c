import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { held } from "./held.js";
import { categoryColumns, scopeColumn } from "./told.js";
import { inUse } from "./use-cases.js";

export interface CategoryRow {
  id: string;
  org_id: string;
  scope_id: string;
  name: string;
  stack_order: number;
  version: number;
}

export interface NewCategory {
  id: string;
  orgId: string;
  scopeId: string;
  name: string;
  /** Absent: last. */
  stackOrder?: number | undefined;
  createdBy: string;
}

/** Undefined: what the scope names is gone. */
export async function insertCategory(tx: Tx, fresh: NewCategory): Promise<CategoryRow | undefined> {
  const { id, orgId, scopeId, name, stackOrder = null, createdBy } = fresh;
  return (await tx.change<CategoryRow>(inserting, [id, orgId, scopeId, name, stackOrder, createdBy]))[0];
}

export interface CategoryChange {
  name?: string | undefined;
  stackOrder?: number | undefined;
  changedBy: string;
}

/** Changes a category that `lockCategory` holds, in a scope that `lockScope` holds where its position changes. */
export async function updateCategory(tx: Tx, row: CategoryRow, change: CategoryChange): Promise<CategoryRow> {
  const { name = null, stackOrder = null, changedBy } = change;
  const values = [row.org_id, row.id, name, stackOrder, changedBy, row.scope_id];
  return held(await tx.change<CategoryRow>(updating, values));
}

/** Removes a category with its versions. */
export async function removeCategory(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.change(removing, [orgId, id]);
}

export async function findCategory(sql: Sql, orgId: string, id: string): Promise<CategoryRow | undefined> {
  return (await sql.query<CategoryRow>("context_categories_find", finding, [orgId, id]))[0];
}

/**
 * Holds a category and the order of its contexts until the end of the transaction; `whole`: also against anything new
 * in it.
 */
export async function lockCategory(
  tx: Sql,
  orgId: string,
  id: string,
  strength: "order" | "whole" = "order",
): Promise<CategoryRow | undefined> {
  // New contexts refer to the row, which holds off only the stronger lock.
  const lock = strength === "whole" ? "for update" : "for no key update";
  const name = `context_categories_lock_${strength}`;
  return (await tx.query<CategoryRow>(name, `${finding} ${lock}`, [orgId, id]))[0];
}

export async function hasContexts(sql: Sql, orgId: string, id: string): Promise<boolean> {
  return (await sql.query("context_categories_used", using, [orgId, id])).length > 0;
}

const columns = "id, org_id, scope_id, name, stack_order, version";
const finding = `
  select ${columns} from context_categories where org_id = $1 and id = $2 and ${inUse("context_categories")}`;
const using = "select id from contexts where org_id = $1 and category_id = $2 limit 1";

const recording = `
  insert into context_category_versions (category_id, version, org_id, scope_id, name, changed_by)
  select id, version, org_id, scope_id, name`;

const inserting = changing({
  name: "context_categories_insert",
  before: `
    counter as (
      insert into scopes (org_id, scope_id, next_stack_order) values ($2, $3, coalesce($5::integer, 0) + 1)
      on conflict (org_id, scope_id) do update set next_stack_order = case
        when $5::integer is null then least(scopes.next_stack_order + 1, 1000001)
        else greatest(scopes.next_stack_order, $5 + 1) end
      where scopes.deleted_at is null
      returning coalesce($5, next_stack_order - 1) as stack_order),
    created as (
      insert into context_categories (${columns})
      select $1, $2, $3, $4, stack_order, 1 from counter returning ${columns}),
    recorded as (${recording}, $6 from created),`,
  effect: `select ${columns}, ${scopeColumn} from created`,
  event: { type: "contexts.context_category.created", columns: categoryColumns },
});

const updating = changing({
  name: "context_categories_update",
  before: `
    counter as (
      update scopes set next_stack_order = greatest(next_stack_order, $4::integer + 1)
      where org_id = $1 and scope_id = $6 and $4::integer is not null),
    changed as (
      update context_categories
      set name = coalesce($3, name), stack_order = coalesce($4, stack_order), version = version + 1
      where org_id = $1 and id = $2 returning ${columns}),
    recorded as (${recording}, $5 from changed where $3::text is not null),`,
  effect: `select ${columns}, ${scopeColumn} from changed`,
  event: { type: "contexts.context_category.updated", columns: categoryColumns },
});

const removing = changing({
  name: "context_categories_remove",
  effect: `delete from context_categories where org_id = $1 and id = $2
    returning id, org_id, stack_order, version + 1 as version, ${scopeColumn}`,
  event: { type: "contexts.context_category.deleted", columns: categoryColumns },
});
