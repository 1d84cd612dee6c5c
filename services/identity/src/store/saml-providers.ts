import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { type SamlConnectionRow, samlConnectionColumns } from "./saml-connections.js";

/** The connection that an address of the sign-in names; its org is not known before. */
export async function findSamlConnectionBySlug(sql: Sql, slug: string): Promise<SamlConnectionRow | undefined> {
  return (await sql.query<SamlConnectionRow>("saml_connections_by_slug", bySlug, [slug]))[0];
}

/** The connections that users of a domain may sign in with. */
export function findSamlConnectionsByDomain(sql: Sql, domain: string, limit: number): Promise<SamlConnectionRow[]> {
  return sql.query<SamlConnectionRow>("saml_connections_by_domain", byDomain, [domain, limit]);
}

/** The one connection that takes what nobody asked for from this identity provider. */
export async function findUnaskedSamlConnection(sql: Sql, entityId: string): Promise<SamlConnectionRow | undefined> {
  return (await sql.query<SamlConnectionRow>("saml_connections_unasked", unasked, [entityId]))[0];
}

/** The connections with an identity provider, of all orgs. */
export function findSamlConnectionsOf(sql: Sql, entityId: string, limit: number): Promise<SamlConnectionRow[]> {
  return sql.query<SamlConnectionRow>("saml_connections_of", ofProvider, [entityId, limit]);
}

/** Takes a connection whose metadata is to be read again; nobody else takes it before `nextAt`. */
export async function takeDueSamlConnection(sql: Sql, now: Date, nextAt: Date): Promise<SamlConnectionRow | undefined> {
  return (await sql.query<SamlConnectionRow>("saml_connections_take_due", takingDue, [now, nextAt]))[0];
}

/** Notes how the reading of metadata ended that changed nothing; `failure` null: well. */
export async function noteSamlMetadata(
  tx: Tx | Sql,
  row: Pick<SamlConnectionRow, "org_id" | "id">,
  outcome: { failure: string | null; readAt: Date; dueAt: Date },
): Promise<void> {
  const { failure, readAt, dueAt } = outcome;
  await tx.query("saml_connections_note", noting, [row.org_id, row.id, failure, readAt, dueAt]);
}

const columns = samlConnectionColumns;
const bySlug = `select ${columns} from saml_connections where slug = $1`;
const byDomain = `
  select ${columns} from saml_connections
  where org_id = (select org_id from org_domains where domain = $1) and enabled order by name, id limit $2`;
const unasked = `select ${columns} from saml_connections where entity_id = $1 and allow_idp_initiated`;
const ofProvider = `select ${columns} from saml_connections where entity_id = $1 and enabled order by id limit $2`;
// Several replicas look at once: each takes what the others have not.
const takingDue = `
  update saml_connections set metadata_due_at = $2 where id = (
    select id from saml_connections where metadata_url is not null and metadata_due_at <= $1
    order by metadata_due_at limit 1 for update skip locked)
  returning ${columns}`;
const noting = `
  update saml_connections set metadata_failure = $3, metadata_due_at = $5,
    metadata_read_at = case when $3::text is null then $4 else metadata_read_at end
  where org_id = $1 and id = $2`;
