import type { Sql } from "@assistant/kit/database/postgres.js";

/**
 * What may leave an org or the platform without an admin takes turns, since each looks at the admins that others may be
 * about to remove. To be called before any row is held.
 */
export async function lockAdmins(tx: Sql): Promise<void> {
  await tx.query("admins_lock", "select pg_advisory_xact_lock($1)", [ADMINS_KEY]);
}

/** Whether the org has an admin who may sign in, beside this user. */
export async function hasOtherAdmin(sql: Sql, orgId: string, userId: string): Promise<boolean> {
  return (await sql.query("admins_find_other", findingOther, [orgId, userId])).length > 0;
}

/** An org in which the user is the only admin who may sign in. */
export async function findOrgWithNoOtherAdmin(sql: Sql, userId: string): Promise<string | undefined> {
  const rows = await sql.query<{ org_id: string }>("admins_find_last", findingLast, [userId]);
  return rows[0]?.org_id;
}

/** Whether a platform admin may sign in beside this user, or, with `orgId`, this user elsewhere than in that org. */
export async function hasOtherPlatformAdmin(sql: Sql, userId: string, orgId?: string): Promise<boolean> {
  return (await sql.query("admins_find_platform", findingPlatform, [userId, orgId ?? null])).length > 0;
}

// Any number will do, as long as no other lock of this database has it.
const ADMINS_KEY = 4_102_001;

const other = (orgId: string, userId: string) => `
  select from memberships as other join users on users.id = other.user_id
  where other.org_id = ${orgId} and other.role = 'admin' and other.user_id <> ${userId} and users.status = 'active'`;

const findingOther = `${other("$1", "$2")} limit 1`;

const findingLast = `
  select org_id from memberships where user_id = $1 and role = 'admin'
    and not exists (${other("memberships.org_id", "$1")}) limit 1`;

const findingPlatform = `
  select from users where platform_admin and status = 'active' and exists (
    select from memberships where user_id = users.id and (user_id <> $1 or org_id <> $2))
  limit 1`;
