import { type Cut, cutPage, withinBudget } from "@assistant/kit/database/cut.js";
import { contains, type Filters, filters } from "@assistant/kit/database/filters.js";
import type { Sql } from "@assistant/kit/database/postgres.js";
import { isVisible, type Sight } from "./knowledge-visibility.js";
import { type UseCaseRow, useCaseColumns } from "./use-cases.js";

export interface UseCaseFilter {
  orgId: string;
  /** Only this one. */
  id?: string | undefined;
  text?: string | undefined;
  /** Only those that this asset is attached to, as far as it is visible. */
  asset?: { id: string; sight: Sight } | undefined;
  /** Only older ones than this. */
  before?: string | undefined;
  pageSize: number;
}

/** The use cases of an org, newest first; not those that are deleted. */
export async function listUseCases(sql: Sql, filter: UseCaseFilter): Promise<Cut<UseCaseRow>> {
  const where = filters("use_cases_list");
  const text = `
    with keys as (
      select id, ${BYTES} as bytes
      from ${filter.asset === undefined ? "use_cases" : attachedTo(where.bind(filter.asset.id))}
      where ${conditions(filter, where).join(" and ")}
      order by ${keyOf(filter)} desc limit ${where.bind(filter.pageSize + 1)}),
    ${withinBudget("id desc")}
    select ${useCaseColumns}, found from cut join use_cases using (id) order by id desc`;
  return cutPage(await sql.query<UseCaseRow & { found: number }>(where.name, text, where.values), filter.pageSize);
}

const BYTES = "octet_length(label::text) + octet_length(description::text) + octet_length(credential_ids::text)";

// The use cases of one asset are read in order from the index of its attachments, one by one until the page is full.
const attachedTo = (asset: string) => `
  (select use_case_id from use_case_assets where asset_id = ${asset} order by use_case_id desc) as attached
  cross join lateral (select * from use_cases where id = attached.use_case_id limit 1) as use_cases`;

function keyOf({ asset }: UseCaseFilter): string {
  return asset === undefined ? "id" : "attached.use_case_id";
}

function conditions(filter: UseCaseFilter, where: Filters): string[] {
  const { orgId, id, text, asset, before } = filter;
  const parts = [`org_id = ${where.bind(orgId)}`, "deleted_at is null"];
  if (id !== undefined) {
    where.mark("one");
    parts.push(`id = ${where.bind(id)}`);
  }
  if (text !== undefined) {
    where.mark("text");
    const place = where.bind(text);
    const said = (column: string) =>
      `exists (select from jsonb_each_text(${column}) where ${contains("value", place)})`;
    parts.push(`(${said("label")} or ${said("description")})`);
  }
  if (asset !== undefined) {
    where.mark("asset");
    const place = where.bind(asset.id);
    parts.push(
      `exists (select from knowledge_assets as asset
        where asset.id = ${place} and asset.deleted_at is null and ${isVisible(asset.sight, where)})`,
    );
  }
  if (before !== undefined) {
    where.mark("before");
    parts.push(`${keyOf(filter)} < ${where.bind(before)}`);
  }
  return parts;
}
