import { contains, type Filters, filters } from "@assistant/kit/database/filters.js";
import type { Sql } from "@assistant/kit/database/postgres.js";
import type { CategoryRow } from "./context-categories.js";
import { type Visible, visibleScopes } from "./visible.js";

export interface CategoryFilter {
  visible: Visible;
  /** Asks for stacking order, else newest first. */
  scopeId?: string | undefined;
  text?: string | undefined;
  after?: CategoryPosition | undefined;
  limit: number;
}

export interface CategoryPosition {
  stackOrder: number;
  id: string;
}

export async function listCategories(sql: Sql, filter: CategoryFilter): Promise<CategoryRow[]> {
  const where = filters("context_categories_list");
  const scopes = visibleScopes(filter.visible, filter.scopeId, where);
  const order = filter.scopeId === undefined ? "id desc" : "stack_order, id";
  const limit = `limit ${where.bind(filter.limit)}`;
  const text = `
    with visible as materialized (${scopes})
    select category.* from visible cross join lateral (
      select id, org_id, scope_id, name, stack_order, version from context_categories
      where ${conditions(filter, where).join(" and ")} order by ${order} ${limit}
    ) as category order by ${order} ${limit}`;
  return sql.query<CategoryRow>(where.name, text, where.values);
}

export interface CategoryVersionRow {
  version: number;
  name: string;
  changed_by: string;
  changed_at: Date;
}

/** What a category was called, newest first, before a version. */
export async function listCategoryVersions(
  sql: Sql,
  page: { orgId: string; categoryId: string; before: number; limit: number },
): Promise<CategoryVersionRow[]> {
  const values = [page.orgId, page.categoryId, page.before, page.limit];
  return sql.query<CategoryVersionRow>("context_category_versions_list", listingVersions, values);
}

function conditions(filter: CategoryFilter, where: Filters): string[] {
  const parts = ["context_categories.org_id = visible.org_id", "context_categories.scope_id = visible.scope_id"];
  if (filter.text !== undefined) {
    where.mark("text");
    parts.push(contains("name", where.bind(filter.text)));
  }
  if (filter.after !== undefined) {
    where.mark("after");
    const id = where.bind(filter.after.id);
    const stacked = filter.scopeId !== undefined;
    parts.push(stacked ? `(stack_order, id) > (${where.bind(filter.after.stackOrder)}, ${id})` : `id < ${id}`);
  }
  return parts;
}

const listingVersions = `
  select version, name, changed_by, changed_at from context_category_versions
  where org_id = $1 and category_id = $2 and version < $3 order by version desc limit $4`;
