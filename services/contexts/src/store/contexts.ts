import type { Postgres, Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import DataLoader from "dataloader";
import { held } from "./held.js";
import { contextColumns, scopeColumn } from "./told.js";
import { inUse } from "./use-cases.js";

export interface ContextRow {
  id: string;
  org_id: string;
  scope_id: string;
  category_id: string;
  title: string;
  context: string;
  stack_order: number;
  version: number;
}

export interface NewContext {
  id: string;
  orgId: string;
  scopeId: string;
  categoryId: string;
  title: string;
  context: string;
  /** Scopes whose categories may hold it. */
  chain: readonly string[];
  createdBy: string;
}

/**
 * Puts a context last in its category. Undefined: its category or scope is gone, not registered yet, or not in the
 * chain.
 */
export async function insertContext(tx: Tx, fresh: NewContext): Promise<ContextRow | undefined> {
  const { id, orgId, scopeId, categoryId, title, context, createdBy, chain } = fresh;
  const values = [id, orgId, scopeId, categoryId, title, context, createdBy, chain];
  return (await tx.change<ContextRow>(inserting, values))[0];
}

export interface ContextChange {
  title?: string | undefined;
  context?: string | undefined;
  /** Absent: where it is. */
  place?: Place | undefined;
  changedBy: string;
}

export interface Place {
  categoryId: string;
  /** Absent: last. */
  stackOrder?: number | undefined;
}

/** Changes a context that `lockContext` holds, in a category that `lockCategory` holds where it is placed. */
export async function updateContext(tx: Tx, row: ContextRow, change: ContextChange): Promise<ContextRow> {
  const { title = null, context = null, place, changedBy } = change;
  if (place === undefined) {
    return held(await tx.change<ContextRow>(updating, [row.org_id, row.id, title, context, changedBy]));
  }
  const said = title !== null || context !== null || place.categoryId !== row.category_id;
  const position = place.stackOrder ?? null;
  const values = [row.org_id, row.id, title, context, changedBy, place.categoryId, position, said];
  return held(await tx.change<ContextRow>(placing, values));
}

/** Removes a context with its versions. */
export async function removeContext(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.change(removing, [orgId, id]);
}

export async function findContext(sql: Sql, orgId: string, id: string): Promise<ContextRow | undefined> {
  return (await sql.query<ContextRow>("contexts_find", finding, [orgId, id]))[0];
}

/** Holds a context until the end of the transaction. Its category comes first where both are held. */
export async function lockContext(tx: Sql, orgId: string, id: string): Promise<ContextRow | undefined> {
  return (await tx.query<ContextRow>("contexts_lock", `${finding} for update`, [orgId, id]))[0];
}

export type ContextFinder = (orgId: string, id: string) => Promise<ContextRow | undefined>;

/** Finds contexts; all finds of one turn of the event loop, of whatever calls, travel as one query. */
export function contextFinder(db: Postgres): ContextFinder {
  const loader = new DataLoader<string, ContextRow | undefined>(
    async (ids) => {
      const rows = await db.query<ContextRow>("contexts_find_many", findingMany, [[...new Set(ids)]]);
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => byId.get(id));
    },
    { cache: false, maxBatchSize: 500, batchScheduleFn: (send) => setImmediate(send) },
  );
  return async (orgId, id) => {
    const row = await loader.load(id);
    return row?.org_id === orgId ? row : undefined;
  };
}

const columns = "id, org_id, scope_id, category_id, title, context, stack_order, version";
const finding = `select ${columns} from contexts where org_id = $1 and id = $2 and ${inUse("contexts")}`;
const findingMany = `select ${columns} from contexts where id = any($1) and ${inUse("contexts")}`;

const recording = `
  insert into context_versions (context_id, version, org_id, scope_id, category_id, title, context, changed_by)
  select id, version, org_id, scope_id, category_id, title, context`;

const inserting = changing({
  name: "contexts_insert",
  before: `
    scope as (
      select from scopes where org_id = $2 and scope_id = $3 and deleted_at is null and ${inUse("scopes")} for key share),
    counter as (
      update context_categories as category set next_stack_order = least(next_stack_order + 1, 1000001)
      from scope where category.org_id = $2 and category.id = $4 and category.scope_id = any($8)
      returning next_stack_order - 1 as stack_order),
    created as (
      insert into contexts (${columns})
      select $1, $2, $3, $4, $5, $6, stack_order, 1 from counter returning ${columns}),
    recorded as (${recording}, $7 from created),`,
  effect: `select ${columns}, ${scopeColumn} from created`,
  event: { type: "contexts.context.created", columns: contextColumns },
});

const updating = changing({
  name: "contexts_update",
  before: `
    changed as (
      update contexts set title = coalesce($3, title), context = coalesce($4, context), version = version + 1
      where org_id = $1 and id = $2 returning ${columns}),
    recorded as (${recording}, $5 from changed),`,
  effect: `select ${columns}, ${scopeColumn} from changed`,
  event: { type: "contexts.context.updated", columns: contextColumns },
});

const placing = changing({
  name: "contexts_place",
  before: `
    counter as (
      update context_categories set next_stack_order = case
        when $7::integer is null then least(next_stack_order + 1, 1000001)
        else greatest(next_stack_order, $7 + 1) end
      where org_id = $1 and id = $6
      returning id as target, coalesce($7, next_stack_order - 1) as position),
    changed as (
      update contexts set title = coalesce($3, title), context = coalesce($4, context),
        category_id = target, stack_order = position, version = version + 1
      from counter where org_id = $1 and id = $2 returning ${columns}),
    recorded as (${recording}, $5 from changed where $8::boolean),`,
  effect: `select ${columns}, ${scopeColumn} from changed`,
  event: { type: "contexts.context.updated", columns: contextColumns },
});

const removing = changing({
  name: "contexts_remove",
  effect: `delete from contexts where org_id = $1 and id = $2
    returning id, org_id, category_id, stack_order, version + 1 as version, ${scopeColumn}`,
  event: { type: "contexts.context.deleted", columns: contextColumns },
});
