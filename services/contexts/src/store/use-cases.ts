import type { Sql } from "@assistant/kit/database/postgres.js";
import { held } from "./held.js";

/** A use case as it was at a version. */
export interface KnownUseCase {
  orgId: string;
  id: string;
  version: number;
  isDeleted: boolean;
}

/**
 * Takes over what somebody tells of a use case unless something later is known already, and holds it until the end of
 * the transaction. Whether the use case is in use.
 */
export async function noteUseCase(tx: Sql, { orgId, id, version, isDeleted }: KnownUseCase): Promise<boolean> {
  await tx.query("use_cases_note", noting, [orgId, id, version, isDeleted]);
  const { is_deleted } = held(await tx.query<UseCaseRow>("use_cases_find", finding, [orgId, id]));
  return !is_deleted;
}

/** Whether a use case is known to be in use; false also where nothing is known of it. */
export async function isInUse(sql: Sql, orgId: string, id: string): Promise<boolean> {
  const [row] = await sql.query<UseCaseRow>("use_cases_find", finding, [orgId, id]);
  return row?.is_deleted === false;
}

/**
 * A condition on rows of a table with scopes: what is in the scope of a use case is there only while that is in use. A
 * plain value, not `exists`, has Postgres look up each use case instead of reading those of all orgs.
 */
export function inUse(table: string): string {
  return `(not ${table}.scope_id ^@ 'uc_' or coalesce((
    select not is_deleted from use_cases as used
    where used.org_id = ${table}.org_id and used.id = ${table}.scope_id), false))`;
}

interface UseCaseRow {
  is_deleted: boolean;
}

const noting = `
  insert into use_cases (org_id, id, version, is_deleted) values ($1, $2, $3, $4)
  on conflict (org_id, id) do update set version = excluded.version, is_deleted = excluded.is_deleted
  where use_cases.version < excluded.version`;
const finding = "select is_deleted from use_cases where org_id = $1 and id = $2";
