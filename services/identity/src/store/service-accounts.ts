import type { Role } from "@assistant/kit/caller/caller.js";
import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { one } from "./one.js";
import { last, type Slice } from "./order.js";
import { listingPrincipals } from "./revocations.js";
import type { Status } from "./users.js";

export interface ServiceAccountRow {
  id: string;
  org_id: string;
  name: string;
  role: Role;
  status: Status;
  version: number;
}

export interface NewServiceAccount {
  id: string;
  orgId: string;
  name: string;
  role: Role;
}

export async function insertServiceAccount(tx: Tx, fresh: NewServiceAccount): Promise<ServiceAccountRow> {
  return one(await tx.change<ServiceAccountRow>(inserting, [fresh.id, fresh.orgId, fresh.name, fresh.role]));
}

export async function findServiceAccount(sql: Sql, orgId: string, id: string): Promise<ServiceAccountRow | undefined> {
  return (await sql.query<ServiceAccountRow>("service_accounts_find", finding, [orgId, id]))[0];
}

/** Holds a service account until the end of the transaction, also against what refers to it. */
export async function lockServiceAccount(tx: Sql, orgId: string, id: string): Promise<ServiceAccountRow | undefined> {
  return (await tx.query<ServiceAccountRow>("service_accounts_lock", `${finding} for update`, [orgId, id]))[0];
}

export function listServiceAccounts(sql: Sql, orgId: string, { before, limit }: Slice<string>) {
  return sql.query<ServiceAccountRow>("service_accounts_list", listing, [orgId, before ?? last, limit]);
}

export interface ServiceAccountChange {
  name?: string | undefined;
  role?: Role | undefined;
  status?: Status | undefined;
}

/** Changes a service account that `lockServiceAccount` holds. */
export async function updateServiceAccount(tx: Tx, orgId: string, id: string, change: ServiceAccountChange) {
  const { name = null, role = null, status = null } = change;
  return one(await tx.change<ServiceAccountRow>(updating, [orgId, id, name, role, status]));
}

/** Removes a service account that `lockServiceAccount` holds, with its keys and its places in groups. */
export async function removeServiceAccount(tx: Tx, orgId: string, id: string): Promise<void> {
  one(await tx.change(removing, [orgId, id]));
}

const columns = "id, org_id, name, role, status, version";
const finding = `select ${columns} from service_accounts where org_id = $1 and id = $2`;
const listing = `select ${columns} from service_accounts where org_id = $1 and id < $2 order by id desc limit $3`;
const told = ["id", "name", "role", "status"];

// The account is held, so nobody else raises its epoch meanwhile.
const raised = "select id, epoch + 1 as epoch from service_accounts where org_id = $1 and id = $2";

const inserting = changing({
  name: "service_accounts_insert",
  effect: `insert into service_accounts (id, org_id, name, role, version) values ($1, $2, $3, $4, 1)
    returning ${columns}`,
  event: { type: "identity.service_account.created", columns: told },
});

const updating = changing({
  name: "service_accounts_update",
  before: listingPrincipals(`${raised} and ($4 <> role or $5 <> status)`),
  effect: `update service_accounts set name = coalesce($3, name), role = coalesce($4, role),
      status = coalesce($5, status), version = version + 1,
      epoch = epoch + case when $4 <> role or $5 <> status then 1 else 0 end
    where org_id = $1 and id = $2 returning ${columns}`,
  event: { type: "identity.service_account.updated", columns: told },
});

const removing = changing({
  name: "service_accounts_remove",
  before: `${listingPrincipals(raised)}
    left_groups as (delete from group_members where org_id = $1 and principal_id = $2),`,
  effect: `delete from service_accounts where org_id = $1 and id = $2
    returning id, org_id, name, role, status, version + 1 as version`,
  event: { type: "identity.service_account.deleted", columns: told },
});
