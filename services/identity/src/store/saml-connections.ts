import type { Role } from "@assistant/kit/caller/caller.js";
import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { one } from "./one.js";
import { last, type Slice } from "./order.js";

export type SamlBinding = "redirect" | "post";
export type SamlNameIdFormat = "persistent" | "email_address" | "any";
export type SamlSyncMode = "import" | "force";

/** Names of attributes; those left out are looked for under their usual names. */
export interface SamlAttributeMapping {
  email?: string | undefined;
  name?: string | undefined;
  groups?: string | undefined;
}

/** What an asserted group means: a role, or membership in a group. */
export interface SamlGroupRule {
  value: string;
  role?: Role | undefined;
  group_id?: string | undefined;
}

/** What an identity provider says of itself. */
export interface SamlProvider {
  entity_id: string;
  sso_url: string;
  sso_binding: SamlBinding;
  slo_url: string | null;
  slo_binding: SamlBinding;
  /** Where answers to sign-outs go, if elsewhere. */
  slo_response_url: string | null;
  certificates: readonly string[];
}

export interface SamlConnectionSettings extends SamlProvider {
  slug: string;
  name: string;
  metadata_url: string | null;
  want_response_signed: boolean;
  allow_cbc: boolean;
  allow_idp_initiated: boolean;
  clock_skew_ms: number;
  nameid_format: SamlNameIdFormat;
  attribute_mapping: SamlAttributeMapping;
  group_mapping: readonly SamlGroupRule[];
  sync_mode: SamlSyncMode;
  jit: boolean;
  link_by_email: boolean;
  default_role: Role;
  enabled: boolean;
}

export interface SamlConnectionRow extends SamlConnectionSettings {
  id: string;
  org_id: string;
  /** Grows with every change: what began under other settings does not end under these. */
  config_version: number;
  version: number;
  metadata_read_at: Date | null;
  metadata_failure: string | null;
}

/** Lets those who write connections take turns, so that what is unique among them can be looked at first. */
export async function lockSamlConnections(tx: Sql): Promise<void> {
  await tx.query("saml_connections_turn", "select pg_advisory_xact_lock($1)", [SAML_CONNECTIONS_KEY]);
}

/** The first of the settings that another connection has already. */
export async function findSamlConflict(sql: Sql, orgId: string, id: string, settings: SamlConnectionSettings) {
  const { slug, entity_id, allow_idp_initiated } = settings;
  const values = [id, orgId, slug, entity_id, allow_idp_initiated];
  const [found] = await sql.query<{ field: "slug" | "entity_id" | "allow_idp_initiated" }>(
    "saml_connections_conflict",
    findingConflict,
    values,
  );
  return found?.field;
}

/** To be called with the turn of `lockSamlConnections`. */
export async function insertSamlConnection(
  tx: Tx,
  orgId: string,
  id: string,
  settings: SamlConnectionSettings,
  metadata: { readAt: Date | null; dueAt: Date | null },
): Promise<SamlConnectionRow> {
  const values = [orgId, id, ...valuesOf(settings), metadata.readAt, metadata.dueAt];
  return one(await tx.change<SamlConnectionRow>(inserting, values));
}

export async function findSamlConnection(sql: Sql, orgId: string, id: string): Promise<SamlConnectionRow | undefined> {
  return (await sql.query<SamlConnectionRow>("saml_connections_find", finding, [orgId, id]))[0];
}

/** Holds a connection until the end of the transaction, also against sessions that it is about to open. */
export async function lockSamlConnection(tx: Sql, orgId: string, id: string): Promise<SamlConnectionRow | undefined> {
  return (await tx.query<SamlConnectionRow>("saml_connections_lock", `${finding} for update`, [orgId, id]))[0];
}

/** Keeps a connection as it is until the end of the transaction. */
export async function holdSamlConnection(tx: Sql, orgId: string, id: string): Promise<SamlConnectionRow | undefined> {
  return (await tx.query<SamlConnectionRow>("saml_connections_hold", `${finding} for share`, [orgId, id]))[0];
}

export function listSamlConnections(sql: Sql, orgId: string, { before, limit }: Slice<string>) {
  return sql.query<SamlConnectionRow>("saml_connections_list", listing, [orgId, before ?? last, limit]);
}

/** Changes a connection that `lockSamlConnection` holds. */
export async function updateSamlConnection(
  tx: Tx,
  orgId: string,
  id: string,
  settings: SamlConnectionSettings,
  metadata: { readAt: Date | null; dueAt: Date | null },
): Promise<SamlConnectionRow> {
  const values = [orgId, id, ...valuesOf(settings), metadata.readAt, metadata.dueAt];
  return one(await tx.change<SamlConnectionRow>(updating, values));
}

/** Removes a connection that `lockSamlConnection` holds, with all that began with it. */
export async function removeSamlConnection(tx: Tx, orgId: string, id: string): Promise<void> {
  one(await tx.change(removing, [orgId, id]));
}

const SAML_CONNECTIONS_KEY = 4_102_011;

const settable = [
  "slug",
  "name",
  "entity_id",
  "sso_url",
  "sso_binding",
  "slo_url",
  "slo_binding",
  "slo_response_url",
  "certificates",
  "metadata_url",
  "want_response_signed",
  "allow_cbc",
  "allow_idp_initiated",
  "clock_skew_ms",
  "nameid_format",
  "attribute_mapping",
  "group_mapping",
  "sync_mode",
  "jit",
  "link_by_email",
  "default_role",
  "enabled",
] as const satisfies readonly (keyof SamlConnectionSettings)[];

/** All columns of `SamlConnectionRow`, for the stores that read connections in other ways. */
export const samlConnectionColumns = [
  "id",
  "org_id",
  ...settable,
  "config_version",
  "version",
  "metadata_read_at",
  "metadata_failure",
].join(", ");

const finding = `select ${samlConnectionColumns} from saml_connections where org_id = $1 and id = $2`;
const listing = `select ${samlConnectionColumns} from saml_connections
  where org_id = $1 and id < $2 order by id desc limit $3`;
const findingConflict = `
  select case when slug = $3 then 'slug' when org_id = $2 then 'entity_id' else 'allow_idp_initiated' end as field
  from saml_connections
  where id <> $1 and (slug = $3 or entity_id = $4 and (org_id = $2 or allow_idp_initiated and $5))
  order by slug = $3 desc, org_id = $2 desc limit 1`;
const told = ["id", "slug", "name", "entity_id", "enabled"];
const places = settable.map((_, index) => `$${index + 3}`);
const [readAt, dueAt] = [`$${settable.length + 3}::timestamptz`, `$${settable.length + 4}::timestamptz`];

const inserting = changing({
  name: "saml_connections_insert",
  effect: `insert into saml_connections
      (org_id, id, ${settable.join(", ")}, metadata_read_at, metadata_due_at, config_version, version)
    values ($1, $2, ${places.join(", ")}, ${readAt}, ${dueAt}, 1, 1) returning ${samlConnectionColumns}`,
  event: { type: "identity.saml_connection.created", columns: told },
});

// A name says who somebody is only together with the provider that gave it.
const updating = changing({
  name: "saml_connections_update",
  before: `strangers as (
      delete from saml_identities using saml_connections
      where connection_id = $2 and saml_connections.org_id = $1 and saml_connections.id = $2 and entity_id <> $5),`,
  effect: `update saml_connections set ${settable.map((column, index) => `${column} = ${places[index]}`).join(", ")},
      metadata_read_at = coalesce(${readAt}, metadata_read_at), metadata_due_at = ${dueAt}, metadata_failure = null,
      config_version = config_version + 1, version = version + 1
    where org_id = $1 and id = $2 returning ${samlConnectionColumns}`,
  event: { type: "identity.saml_connection.updated", columns: told },
});

const removing = changing({
  name: "saml_connections_remove",
  effect: `delete from saml_connections where org_id = $1 and id = $2
    returning id, org_id, slug, name, entity_id, enabled, version + 1 as version`,
  event: { type: "identity.saml_connection.deleted", columns: told },
});

function valuesOf(settings: SamlConnectionSettings): unknown[] {
  // The driver makes arrays of Postgres out of lists, where JSON is due.
  const plain = { ...settings, group_mapping: JSON.stringify(settings.group_mapping) };
  return settable.map((column) => plain[column]);
}
