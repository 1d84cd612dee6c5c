import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { raisingEpochs } from "./epochs.js";
import { one } from "./one.js";
import { lastPlace, type Slice } from "./order.js";

export interface GroupMemberRow {
  principal_id: string;
  manager: boolean;
  version: number;
}

export interface PlacedGroupMemberRow extends GroupMemberRow {
  place: number;
}

export interface NewGroupMember {
  orgId: string;
  groupId: string;
  principalId: string;
  manager: boolean;
}

/** Adds a principal that `holdPrincipal` keeps to a group that `lockGroup` holds. Undefined: it is in there already. */
export async function insertGroupMember(tx: Tx, fresh: NewGroupMember): Promise<GroupMemberRow | undefined> {
  const { orgId, groupId, principalId, manager } = fresh;
  return (await tx.change<GroupMemberRow>(inserting, [orgId, groupId, principalId, manager]))[0];
}

export async function findGroupMember(sql: Sql, orgId: string, groupId: string, principalId: string) {
  return (await sql.query<GroupMemberRow>("group_members_find", finding, [orgId, groupId, principalId]))[0];
}

/** Holds a member of a group until the end of the transaction. */
export async function lockGroupMember(tx: Sql, orgId: string, groupId: string, principalId: string) {
  const text = `${finding} for update`;
  return (await tx.query<GroupMemberRow>("group_members_lock", text, [orgId, groupId, principalId]))[0];
}

export function listGroupMembers(sql: Sql, orgId: string, groupId: string, { before, limit }: Slice<number>) {
  const values = [orgId, groupId, before ?? lastPlace, limit];
  return sql.query<PlacedGroupMemberRow>("group_members_list", listing, values);
}

/** Removes a member that `lockGroupMember` holds. */
export async function removeGroupMember(tx: Tx, orgId: string, groupId: string, principalId: string): Promise<void> {
  one(await tx.change(removing, [orgId, groupId, principalId]));
}

/** Keeps a user in the org, or a service account, until the end of the transaction; false: there is none. */
export async function holdPrincipal(tx: Sql, orgId: string, principalId: string): Promise<boolean> {
  const values = [orgId, principalId];
  const members = await tx.query("memberships_hold", holdingMember, values);
  return members.length > 0 || (await tx.query("service_accounts_hold", holdingAccount, values)).length > 0;
}

/** Ids of the groups of the org that a principal is in, and of those it manages. */
export async function findGroupIds(sql: Sql, orgId: string, principalId: string) {
  return sql.query<{ group_id: string; manager: boolean }>("group_members_ids", findingIds, [orgId, principalId]);
}

const columns = "principal_id, manager, version";
const finding = `select ${columns} from group_members where org_id = $1 and group_id = $2 and principal_id = $3`;
const listing = `select ${columns}, place from group_members
  where org_id = $1 and group_id = $2 and place < $3 order by place desc limit $4`;
const findingIds = `select group_id, manager from group_members
  where org_id = $1 and principal_id = $2 order by group_id`;
const holdingMember = "select from memberships where org_id = $1 and user_id = $2 for key share";
const holdingAccount = "select from service_accounts where org_id = $1 and id = $2 for key share";
const told = ["group_id", "principal_id", "manager"];
const raising = raisingEpochs("select $3::text as principal_id");

const inserting = changing({
  name: "group_members_insert",
  before: raising,
  effect: `insert into group_members (org_id, group_id, principal_id, manager) values ($1, $2, $3, $4)
    on conflict do nothing
    returning group_id || '/' || principal_id as id, org_id, group_id, ${columns}`,
  event: { type: "identity.group_member.created", columns: told },
});

const removing = changing({
  name: "group_members_remove",
  before: raising,
  effect: `delete from group_members where org_id = $1 and group_id = $2 and principal_id = $3
    returning group_id || '/' || principal_id as id, org_id, group_id, principal_id, manager,
      nextval('membership_versions') as version`,
  event: { type: "identity.group_member.deleted", columns: told },
});
