import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { categoryColumns, contextColumns, scopeColumn } from "./told.js";

/** A scope with its org, as its contents are found. */
export interface ScopeKey {
  orgId: string;
  scopeId: string;
}

/**
 * Holds every category that has to do with a scope: its own, and those that hold contexts of it. Nobody waits in a
 * circle, since others hold one category at a time, and contexts only after it.
 */
export async function lockScopeCategories(tx: Sql, { orgId, scopeId }: ScopeKey): Promise<void> {
  await tx.query("scope_contents_lock", locking, [orgId, scopeId]);
}

/** Removes some of the contexts of a scope; how many. */
export async function removeSomeContexts(tx: Tx, { orgId, scopeId }: ScopeKey, limit: number): Promise<number> {
  return (await tx.change(removingContexts, [orgId, scopeId, limit])).length;
}

/** Removes some of the categories of a scope, which are empty by now; how many. */
export async function removeSomeCategories(tx: Tx, { orgId, scopeId }: ScopeKey, limit: number): Promise<number> {
  return (await tx.change(removingCategories, [orgId, scopeId, limit])).length;
}

export interface Guest {
  category_id: string;
  name: string;
  /** The other scope whose contexts are in the category. */
  scope_id: string;
}

/** The categories of a scope that hold contexts of others, once for each of these. */
export async function listGuests(sql: Sql, { orgId, scopeId }: ScopeKey): Promise<Guest[]> {
  return sql.query<Guest>("scope_contents_guests", listingGuests, [orgId, scopeId]);
}

export interface Adoption {
  orgId: string;
  scopeId: string;
  from: string;
  to: string;
  changedBy: string;
}

/** Moves the contexts of a scope from one category to another, in the positions they have. */
export async function adoptContexts(tx: Tx, { orgId, scopeId, from, to, changedBy }: Adoption): Promise<void> {
  await tx.change(adopting, [orgId, scopeId, from, to, changedBy]);
}

const locking = `
  select from context_categories as category
  where org_id = $1 and (scope_id = $2
    or id in (select category_id from contexts where org_id = $1 and scope_id = $2))
  order by id for update`;

const removingContexts = changing({
  name: "scope_contents_remove_contexts",
  effect: `
    delete from contexts where id in (select id from contexts where org_id = $1 and scope_id = $2 order by id limit $3)
    returning id, org_id, category_id, stack_order, version + 1 as version, ${scopeColumn}`,
  event: { type: "contexts.context.deleted", columns: contextColumns },
});

const removingCategories = changing({
  name: "scope_contents_remove_categories",
  effect: `
    delete from context_categories
    where id in (select id from context_categories where org_id = $1 and scope_id = $2 order by id limit $3)
    returning id, org_id, stack_order, version + 1 as version, ${scopeColumn}`,
  event: { type: "contexts.context_category.deleted", columns: categoryColumns },
});

const listingGuests = `
  select distinct category.id as category_id, name, contexts.scope_id
  from context_categories as category join contexts on contexts.category_id = category.id
  where category.org_id = $1 and category.scope_id = $2 and contexts.scope_id <> $2
  order by category.id, contexts.scope_id`;

const adopting = changing({
  name: "scope_contents_adopt",
  before: `
    counter as (
      update context_categories as target set next_stack_order = source.next_stack_order
      from context_categories as source
      where target.org_id = $1 and target.id = $4 and source.org_id = $1 and source.id = $3),
    changed as (
      update contexts set category_id = $4, version = version + 1
      where org_id = $1 and scope_id = $2 and category_id = $3
      returning id, org_id, scope_id, category_id, title, context, stack_order, version),
    recorded as (
      insert into context_versions (context_id, version, org_id, scope_id, category_id, title, context, changed_by)
      select id, version, org_id, scope_id, category_id, title, context, $5 from changed),`,
  effect: `select id, org_id, category_id, stack_order, version, ${scopeColumn} from changed`,
  event: { type: "contexts.context.updated", columns: contextColumns },
});
