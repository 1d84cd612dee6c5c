import type { Role } from "@assistant/kit/caller/caller.js";
import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { raisingEpochs } from "./epochs.js";
import { one } from "./one.js";
import { lastPlace, type Slice } from "./order.js";

export interface OrgMemberRow {
  org_id: string;
  user_id: string;
  role: Role;
  version: number;
}

export interface FoundOrgMemberRow extends OrgMemberRow {
  /** The user is a platform admin. */
  platform_admin: boolean;
  place: number;
}

export interface NewOrgMember {
  orgId: string;
  userId: string;
  role: Role;
}

/** Undefined: the user is a member, or another member has the user's e-mail address. */
export async function insertOrgMember(tx: Tx, fresh: NewOrgMember): Promise<OrgMemberRow | undefined> {
  return (await tx.change<OrgMemberRow>(inserting, [fresh.orgId, fresh.userId, fresh.role]))[0];
}

export async function findOrgMember(sql: Sql, orgId: string, userId: string): Promise<FoundOrgMemberRow | undefined> {
  return (await sql.query<FoundOrgMemberRow>("memberships_find", finding, [orgId, userId]))[0];
}

/** Holds a membership until the end of the transaction, also against what refers to it. */
export async function lockOrgMember(tx: Sql, orgId: string, userId: string): Promise<FoundOrgMemberRow | undefined> {
  const text = `${finding} for update of memberships`;
  return (await tx.query<FoundOrgMemberRow>("memberships_lock", text, [orgId, userId]))[0];
}

export function listOrgMembers(sql: Sql, orgId: string, { before, limit }: Slice<number>) {
  return sql.query<FoundOrgMemberRow>("memberships_list", listing, [orgId, before ?? lastPlace, limit]);
}

/** The orgs that a user is a member of. */
export async function listOrgIdsOf(sql: Sql, userId: string): Promise<string[]> {
  const rows = await sql.query<{ org_id: string }>("memberships_orgs", listingOrgs, [userId]);
  return rows.map((row) => row.org_id);
}

/** Changes a membership that `lockOrgMember` holds. */
export async function updateOrgMember(tx: Tx, orgId: string, userId: string, role: Role) {
  return one(await tx.change<OrgMemberRow>(updating, [orgId, userId, role]));
}

/** Removes a membership that `lockOrgMember` holds, and with it those in the org's groups. */
export async function removeOrgMember(tx: Tx, orgId: string, userId: string): Promise<void> {
  one(await tx.change(removing, [orgId, userId]));
}

const columns = "org_id, user_id, role, version";
const selecting = `select memberships.org_id, user_id, role, memberships.version, platform_admin, place
  from memberships join users on users.id = user_id`;
const finding = `${selecting} where memberships.org_id = $1 and user_id = $2`;
const listing = `${selecting} where memberships.org_id = $1 and place < $2 order by place desc limit $3`;
const listingOrgs = "select org_id from memberships where user_id = $1 order by org_id";
const returning = `returning org_id || '/' || user_id as id, ${columns}`;
const told = ["org_id", "user_id", "role"];

const raising = raisingEpochs("select $2::text as principal_id");

const inserting = changing({
  name: "memberships_insert",
  before: raising,
  effect: `insert into memberships (org_id, user_id, email_key, role)
    select $1, id, email_key, $3 from users where id = $2
    on conflict do nothing ${returning}`,
  event: { type: "identity.org_member.created", columns: told },
});

const updating = changing({
  name: "memberships_update",
  before: raising,
  effect: `update memberships set role = $3, version = nextval('membership_versions')
    where org_id = $1 and user_id = $2 ${returning}`,
  event: { type: "identity.org_member.updated", columns: told },
});

const removing = changing({
  name: "memberships_remove",
  before: `${raising}
    left_groups as (delete from group_members where org_id = $1 and principal_id = $2),`,
  effect: `delete from memberships where org_id = $1 and user_id = $2
    returning org_id || '/' || user_id as id, org_id, user_id, role, nextval('membership_versions') as version`,
  event: { type: "identity.org_member.deleted", columns: told },
});
