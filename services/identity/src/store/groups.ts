import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { raisingEpochs } from "./epochs.js";
import { one } from "./one.js";
import { last, type Slice } from "./order.js";

export interface GroupRow {
  id: string;
  org_id: string;
  name: string;
  version: number;
}

export interface NewGroup {
  id: string;
  orgId: string;
  name: string;
}

export async function insertGroup(tx: Tx, { id, orgId, name }: NewGroup): Promise<GroupRow> {
  return one(await tx.change<GroupRow>(inserting, [id, orgId, name]));
}

export async function findGroup(sql: Sql, orgId: string, id: string): Promise<GroupRow | undefined> {
  return (await sql.query<GroupRow>("groups_find", finding, [orgId, id]))[0];
}

/** Holds a group until the end of the transaction, also against new members. */
export async function lockGroup(tx: Sql, orgId: string, id: string): Promise<GroupRow | undefined> {
  return (await tx.query<GroupRow>("groups_lock", `${finding} for update`, [orgId, id]))[0];
}

/** All groups of the org. */
export function listGroups(sql: Sql, orgId: string, { before, limit }: Slice<string>) {
  return sql.query<GroupRow>("groups_list", listing, [orgId, before ?? last, limit]);
}

/** The groups of the org that a principal is in. */
export function listGroupsOf(sql: Sql, orgId: string, principalId: string, { before, limit }: Slice<string>) {
  return sql.query<GroupRow>("groups_list_of", listingOf, [orgId, principalId, before ?? last, limit]);
}

/** Changes a group that `lockGroup` holds. */
export async function updateGroup(tx: Tx, orgId: string, id: string, name: string): Promise<GroupRow> {
  return one(await tx.change<GroupRow>(updating, [orgId, id, name]));
}

/** Removes a group that `lockGroup` holds, with its memberships. */
export async function removeGroup(tx: Tx, orgId: string, id: string): Promise<void> {
  one(await tx.change(removing, [orgId, id]));
}

const columns = "id, org_id, name, version";
const finding = `select ${columns} from groups where org_id = $1 and id = $2`;
const listing = `select ${columns} from groups where org_id = $1 and id < $2 order by id desc limit $3`;
const listingOf = `
  select id, groups.org_id, name, groups.version from group_members join groups on groups.id = group_id
  where group_members.org_id = $1 and principal_id = $2 and group_id < $3 order by group_id desc limit $4`;
const told = ["id", "name"];

const inserting = changing({
  name: "groups_insert",
  effect: `insert into groups (id, org_id, name, version) values ($1, $2, $3, 1) returning ${columns}`,
  event: { type: "identity.group.created", columns: told },
});

const updating = changing({
  name: "groups_update",
  effect: `update groups set name = $3, version = version + 1
    where org_id = $1 and id = $2 returning ${columns}`,
  event: { type: "identity.group.updated", columns: told },
});

const removing = changing({
  name: "groups_remove",
  before: raisingEpochs("select principal_id from group_members where org_id = $1 and group_id = $2"),
  effect: `delete from groups where org_id = $1 and id = $2 returning id, org_id, name, version + 1 as version`,
  event: { type: "identity.group.deleted", columns: told },
});
