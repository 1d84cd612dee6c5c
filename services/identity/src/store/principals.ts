import type { Role } from "@assistant/kit/caller/caller.js";
import type { Sql } from "@assistant/kit/database/postgres.js";

/** Who a token may be issued to, as of one moment: an epoch with the role and the groups that it stands for. */
export interface PrincipalRow {
  id: string;
  org_id: string;
  role: Role;
  platform_admin: boolean;
  epoch: number;
  /** At most `groupsMax + 1` ids. */
  group_ids: string[];
  managed_group_ids: string[];
}

/** A member of the org who may sign in. */
export async function findUserPrincipal(sql: Sql, orgId: string, id: string, groupsMax: number) {
  return (await sql.query<PrincipalRow>("principals_find_user", findingUser, [orgId, id, groupsMax + 1]))[0];
}

/** The org that a user has chosen to act in. */
export async function findActiveOrgId(sql: Sql, userId: string): Promise<string | undefined> {
  const [row] = await sql.query<{ active_org_id: string | null }>("principals_find_org", findingOrg, [userId]);
  return row?.active_org_id ?? undefined;
}

/** A service account of the org that may get tokens. */
export async function findServiceAccountPrincipal(sql: Sql, orgId: string, id: string, groupsMax: number) {
  return (await sql.query<PrincipalRow>("principals_find_account", findingAccount, [orgId, id, groupsMax + 1]))[0];
}

export interface SignInRow {
  user_id: string;
  /** The org that the user chose to act in, else the user's own, else the first other that the user is a member of. */
  org_id: string;
  /** The user is a member of the platform's first org. */
  first_org: boolean;
}

/** Up to two users of an e-mail address who may sign in, one of the platform's first org before others. */
export function findSignIns(sql: Sql, emailKey: string) {
  return sql.query<SignInRow>("sign_ins_find", findingSignIns, [emailKey]);
}

/** The first platform admin who may sign in. */
export async function findFirstPlatformAdmin(sql: Sql): Promise<SignInRow | undefined> {
  return (await sql.query<SignInRow>("sign_ins_find_platform_admin", findingPlatformAdmin, []))[0];
}

const groups = `
  array(select group_id from group_members
    where org_id = $1 and principal_id = $2 order by group_id limit $3) as group_ids,
  array(select group_id from group_members
    where org_id = $1 and principal_id = $2 and manager order by group_id limit $3) as managed_group_ids`;

const findingUser = `
  select id, memberships.org_id, role, platform_admin, epoch, ${groups}
  from memberships join users on users.id = user_id
  where memberships.org_id = $1 and user_id = $2 and status = 'active'`;

const findingOrg = "select active_org_id from profiles where user_id = $1";

const findingAccount = `
  select id, org_id, role, false as platform_admin, epoch, ${groups}
  from service_accounts where org_id = $1 and id = $2 and status = 'active'`;

const signIns = `
  select users.id as user_id, home.org_id, exists (
    select from memberships where user_id = users.id and org_id = (select id from orgs order by id limit 1)) as first_org
  from users left join profiles on profiles.user_id = users.id cross join lateral (
    select org_id from memberships where user_id = users.id
    order by org_id = active_org_id desc nulls last, org_id = users.org_id desc, place limit 1) as home
  where status = 'active'`;
const findingSignIns = `${signIns} and email_key = $1 order by first_org desc, users.id limit 2`;
const findingPlatformAdmin = `${signIns} and platform_admin order by users.id limit 1`;
