import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { one } from "./one.js";
import { last, type Slice } from "./order.js";
import { listingPrincipals } from "./revocations.js";

/** Whether a user or a service account may sign in. */
export type Status = "active" | "disabled";

export interface UserRow {
  id: string;
  /** The org that made the user. */
  org_id: string;
  email: string;
  name: string;
  status: Status;
  platform_admin: boolean;
  version: number;
}

export interface NewUser {
  id: string;
  orgId: string;
  email: string;
  name: string;
  platformAdmin: boolean;
}

/** Undefined: the org has a user of this address. */
export async function insertUser(tx: Tx, fresh: NewUser): Promise<UserRow | undefined> {
  const { id, orgId, email, name, platformAdmin } = fresh;
  return (await tx.change<UserRow>(inserting, [id, orgId, email, emailKey(email), name, platformAdmin]))[0];
}

/** A user who is the org's own or its member. */
export async function findUser(sql: Sql, orgId: string, id: string): Promise<UserRow | undefined> {
  return (await sql.query<UserRow>("users_find", finding, [orgId, id]))[0];
}

/** As `findUser`; holds the user until the end of the transaction. */
export async function lockUser(tx: Sql, orgId: string, id: string): Promise<UserRow | undefined> {
  return (await tx.query<UserRow>("users_lock", `${finding} for no key update`, [orgId, id]))[0];
}

/** A user of any org: for platform admins. */
export async function findUserAnywhere(sql: Sql, id: string): Promise<UserRow | undefined> {
  return (await sql.query<UserRow>("users_find_anywhere", findingAnywhere, [id]))[0];
}

/** The org's own users and its members. */
export function listUsers(sql: Sql, orgId: string, { before, limit }: Slice<string>) {
  return sql.query<UserRow>("users_list", listing, [orgId, before ?? last, limit]);
}

export interface UserChange {
  name?: string | undefined;
  status?: Status | undefined;
}

/** Changes a user that `lockUser` holds. */
export async function updateUser(tx: Tx, orgId: string, id: string, change: UserChange): Promise<UserRow> {
  return one(await tx.change<UserRow>(updating, [orgId, id, change.name ?? null, change.status ?? null]));
}

/** What two addresses that mean the same mailbox have in common: they are compared whatever the case. */
export function emailKey(email: string): string {
  return email.normalize("NFC").toLowerCase();
}

const columns = "id, org_id, email, name, status, platform_admin, version";
const visible = `(org_id = $1 or exists (
  select from memberships where memberships.org_id = $1 and memberships.user_id = users.id))`;
const finding = `select ${columns} from users where id = $2 and ${visible}`;
const findingAnywhere = `select ${columns} from users where id = $1`;

// Each half reads only as far as the page goes.
const listing = `
  with visible as (
    (select id from users where org_id = $1 and id < $2 order by id desc limit $3)
    union
    (select user_id from memberships where org_id = $1 and user_id < $2 order by user_id desc limit $3))
  select ${columns} from users join visible using (id) order by id desc limit $3`;

const told = ["id", "status", "platform_admin"];

const inserting = changing({
  name: "users_insert",
  effect: `insert into users (id, org_id, email, email_key, name, platform_admin, version)
    values ($1, $2, $3, $4, $5, $6, 1) on conflict (org_id, email_key) do nothing returning ${columns}`,
  event: { type: "identity.user.created", columns: told },
});

const updating = changing({
  name: "users_update",
  before: listingPrincipals(`select id, epoch + 1 as epoch from users where id = $2 and ${visible} and $4 <> status`),
  effect: `update users set name = coalesce($3, name), status = coalesce($4, status), version = version + 1,
      epoch = epoch + case when $4 <> status then 1 else 0 end
    where id = $2 and ${visible} returning ${columns}`,
  event: { type: "identity.user.updated", columns: told },
});
