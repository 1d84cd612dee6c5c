import type { Role } from "@assistant/kit/caller/caller.js";
import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { one } from "./one.js";
import { last, type Slice } from "./order.js";

export interface ServiceAccountKeyRow {
  id: string;
  org_id: string;
  service_account_id: string;
  last4: string;
  scopes: Role[];
  created_at: Date;
  expires_at: Date;
  last_used_at: Date | null;
  replaced_at: Date | null;
  version: number;
}

export interface NewServiceAccountKey {
  id: string;
  orgId: string;
  serviceAccountId: string;
  secretMac: Buffer;
  last4: string;
  scopes: readonly Role[];
  createdAt: Date;
  expiresAt: Date;
}

export async function insertServiceAccountKey(tx: Tx, fresh: NewServiceAccountKey) {
  const { id, orgId, serviceAccountId, secretMac, last4, scopes, createdAt, expiresAt } = fresh;
  const values = [id, orgId, serviceAccountId, secretMac, last4, scopes, createdAt, expiresAt];
  return one(await tx.change<ServiceAccountKeyRow>(inserting, values));
}

export async function findServiceAccountKey(sql: Sql, orgId: string, serviceAccountId: string, id: string) {
  return (await sql.query<ServiceAccountKeyRow>("keys_find", finding, [orgId, serviceAccountId, id]))[0];
}

/** Holds a key until the end of the transaction. */
export async function lockServiceAccountKey(tx: Sql, orgId: string, serviceAccountId: string, id: string) {
  const text = `${finding} for update`;
  return (await tx.query<ServiceAccountKeyRow>("keys_lock", text, [orgId, serviceAccountId, id]))[0];
}

export function listServiceAccountKeys(sql: Sql, orgId: string, serviceAccountId: string, slice: Slice<string>) {
  const values = [orgId, serviceAccountId, slice.before ?? last, slice.limit];
  return sql.query<ServiceAccountKeyRow>("keys_list", listing, values);
}

/** How many keys of a service account still work at a time. */
export async function countServiceAccountKeys(sql: Sql, orgId: string, serviceAccountId: string, now: Date) {
  const rows = await sql.query<{ keys: number }>("keys_count", counting, [orgId, serviceAccountId, now]);
  return rows[0]?.keys ?? 0;
}

/** Another key takes the place of one that `lockServiceAccountKey` holds, which ends at a time, unless it ends before. */
export async function replaceServiceAccountKey(tx: Tx, row: ServiceAccountKeyRow, now: Date, expiresAt: Date) {
  one(await tx.change(replacing, [row.org_id, row.service_account_id, row.id, expiresAt, now]));
}

/** Removes a key that `lockServiceAccountKey` holds. */
export async function removeServiceAccountKey(tx: Tx, orgId: string, serviceAccountId: string, id: string) {
  one(await tx.change(removing, [orgId, serviceAccountId, id]));
}

export interface CredentialRow {
  id: string;
  org_id: string;
  service_account_id: string;
  secret_mac: Buffer;
  scopes: Role[];
  expires_at: Date;
}

/** What a client is checked against who shows a key; its org is not known before. */
export async function findCredential(sql: Sql, id: string): Promise<CredentialRow | undefined> {
  return (await sql.query<CredentialRow>("keys_find_credential", findingCredential, [id]))[0];
}

const columns = `id, org_id, service_account_id, last4, scopes, created_at, expires_at, last_used_at, replaced_at,
  version`;
const owned = "org_id = $1 and service_account_id = $2";
const finding = `select ${columns} from service_account_keys where ${owned} and id = $3`;
const listing = `select ${columns} from service_account_keys where ${owned} and id < $3 order by id desc limit $4`;
const counting = `select count(*)::integer as keys from service_account_keys where ${owned} and expires_at > $3`;
const findingCredential = `
  select id, org_id, service_account_id, secret_mac, scopes, expires_at from service_account_keys where id = $1`;
const told = ["id", "service_account_id", "scopes", "expires_at"];

const inserting = changing({
  name: "keys_insert",
  effect: `insert into service_account_keys
      (id, org_id, service_account_id, secret_mac, last4, scopes, created_at, expires_at, version)
    values ($1, $2, $3, $4, $5, $6, $7, $8, 1) returning ${columns}`,
  event: { type: "identity.service_account_key.created", columns: told },
});

const replacing = changing({
  name: "keys_replace",
  effect: `update service_account_keys
    set expires_at = least(expires_at, $4), replaced_at = $5, version = version + 1
    where ${owned} and id = $3 returning ${columns}`,
  event: { type: "identity.service_account_key.updated", columns: told },
});

const removing = changing({
  name: "keys_remove",
  effect: `delete from service_account_keys where ${owned} and id = $3
    returning id, org_id, service_account_id, scopes, expires_at, version + 1 as version`,
  event: { type: "identity.service_account_key.deleted", columns: told },
});
