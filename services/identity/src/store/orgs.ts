import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { one } from "./one.js";
import { last, type Slice } from "./order.js";

/** A language as its ISO 639-1 code. */
export type Language = "de" | "en" | "es" | "fr" | "it" | "nl" | "pl" | "pt" | "sv";

export interface OrgRow {
  id: string;
  name: string;
  default_language: Language;
  version: number;
}

export interface NewOrg {
  id: string;
  name: string;
  defaultLanguage: Language;
}

export async function insertOrg(tx: Tx, { id, name, defaultLanguage }: NewOrg): Promise<OrgRow> {
  return one(await tx.change<OrgRow>(inserting, [id, name, defaultLanguage]));
}

export async function findOrg(sql: Sql, orgId: string): Promise<OrgRow | undefined> {
  return (await sql.query<OrgRow>("orgs_find", finding, [orgId]))[0];
}

/** Holds an org until the end of the transaction. */
export async function lockOrg(tx: Sql, orgId: string): Promise<OrgRow | undefined> {
  return (await tx.query<OrgRow>("orgs_lock", `${finding} for no key update`, [orgId]))[0];
}

/** All orgs of the platform. */
export function listOrgs(sql: Sql, { before, limit }: Slice<string>) {
  return sql.query<OrgRow>("orgs_list", listing, [before ?? last, limit]);
}

export interface OrgChange {
  name?: string | undefined;
  defaultLanguage?: Language | undefined;
}

/** Changes an org that `lockOrg` holds. */
export async function updateOrg(tx: Tx, orgId: string, change: OrgChange): Promise<OrgRow> {
  return one(await tx.change<OrgRow>(updating, [orgId, change.name ?? null, change.defaultLanguage ?? null]));
}

const columns = "id, name, default_language, version";
const finding = `select ${columns} from orgs where id = $1`;
const listing = `select ${columns} from orgs where id < $1 order by id desc limit $2`;
const told = ["id", "name", "default_language"];

const inserting = changing({
  name: "orgs_insert",
  effect: `insert into orgs (id, name, default_language, version) values ($1, $2, $3, 1)
    returning id as org_id, ${columns}`,
  event: { type: "identity.org.created", columns: told },
});

const updating = changing({
  name: "orgs_update",
  effect: `update orgs set name = coalesce($2, name), default_language = coalesce($3, default_language),
      version = version + 1
    where id = $1 returning id as org_id, ${columns}`,
  event: { type: "identity.org.updated", columns: told },
});
