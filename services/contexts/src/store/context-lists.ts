import { type Cut, cutPage, withinBudget } from "@assistant/kit/database/cut.js";
import { contains, type Filters, filters } from "@assistant/kit/database/filters.js";
import type { Sql } from "@assistant/kit/database/postgres.js";
import type { ContextRow } from "./contexts.js";
import { type Visible, visibleScopes } from "./visible.js";

export interface ContextFilter {
  visible: Visible;
  scopeId?: string | undefined;
  /** Asks for stacking order, else newest first. */
  categoryId?: string | undefined;
  text?: string | undefined;
  after?: ContextPosition | undefined;
  pageSize: number;
}

export interface ContextPosition {
  stackOrder: number;
  id: string;
}

export async function listContexts(sql: Sql, filter: ContextFilter): Promise<Cut<ContextRow>> {
  const where = filters("contexts_list");
  const scopes = visibleScopes(filter.visible, filter.scopeId, where);
  const order = filter.categoryId === undefined ? "id desc" : "stack_order, id";
  const limit = `limit ${where.bind(filter.pageSize + 1)}`;
  const text = `
    with visible as materialized (${scopes}),
    keys as (
      select key.id, key.stack_order, key.bytes from visible cross join lateral (
        select id, stack_order, octet_length(context) as bytes from contexts
        where ${conditions(filter, where).join(" and ")} order by ${order} ${limit}
      ) as key order by ${order} ${limit}),
    ${withinBudget(order)}
    select ${columns}, found from cut join contexts using (id) order by ${order}`;
  return cutPage(await sql.query<ContextRow & { found: number }>(where.name, text, where.values), filter.pageSize);
}

export interface VersionRow {
  version: number;
  title: string;
  category_id: string;
  context: string;
  changed_by: string;
  changed_at: Date;
}

/** What a context said, newest first, before a version. */
export async function listContextVersions(
  sql: Sql,
  page: { orgId: string; contextId: string; before: number; pageSize: number },
): Promise<Cut<VersionRow>> {
  const values = [page.orgId, page.contextId, page.before, page.pageSize + 1];
  const rows = await sql.query<VersionRow & { found: number }>("context_versions_list", listingVersions, values);
  return cutPage(rows, page.pageSize);
}

function conditions(filter: ContextFilter, where: Filters): string[] {
  const parts = ["contexts.org_id = visible.org_id", "contexts.scope_id = visible.scope_id"];
  if (filter.categoryId !== undefined) {
    where.mark("category");
    parts.push(`category_id = ${where.bind(filter.categoryId)}`);
  }
  if (filter.text !== undefined) {
    where.mark("text");
    const place = where.bind(filter.text);
    parts.push(`(${contains("title", place)} or ${contains("context", place)})`);
  }
  if (filter.after !== undefined) {
    where.mark("after");
    const id = where.bind(filter.after.id);
    const stacked = filter.categoryId !== undefined;
    parts.push(stacked ? `(stack_order, id) > (${where.bind(filter.after.stackOrder)}, ${id})` : `id < ${id}`);
  }
  return parts;
}

const columns = "id, org_id, scope_id, category_id, title, context, contexts.stack_order, version";

const listingVersions = `
  with keys as (
    select version, octet_length(context) as bytes from context_versions
    where org_id = $1 and context_id = $2 and version < $3 order by version desc limit $4),
  ${withinBudget("version desc")}
  select cut.version, title, category_id, context, changed_by, changed_at, found
  from cut join context_versions as said on said.version = cut.version and said.context_id = $2
  order by cut.version desc`;
