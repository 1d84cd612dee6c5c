import type { Sql } from "@assistant/kit/database/postgres.js";

/** A message of ours that an identity provider is to answer. */
export interface NewSamlRequest {
  id: string;
  orgId: string;
  connectionId: string;
  purpose: "login" | "logout";
  /** The settings that the connection had. */
  configVersion: number;
  relayHash: Buffer;
  returnTo: string;
  /** Of what ties the answer to the browser that asked. */
  browserHash: Buffer;
  createdAt: Date;
  expiresAt: Date;
}

export interface SamlRequestRow {
  id: string;
  org_id: string;
  connection_id: string;
  config_version: number;
  relay_hash: Buffer;
  return_to: string;
  browser_hash: Buffer;
  created_at: Date;
}

export async function insertSamlRequest(sql: Sql, fresh: NewSamlRequest): Promise<void> {
  const { id, orgId, connectionId, purpose, configVersion, relayHash, returnTo, browserHash } = fresh;
  const values = [id, orgId, connectionId, purpose, configVersion, relayHash, returnTo, browserHash];
  await sql.query("saml_requests_insert", inserting, [...values, fresh.createdAt, fresh.expiresAt]);
}

/** A request that nobody has answered yet; whose it is, is not known before. */
export async function findOpenSamlRequest(sql: Sql, id: string, purpose: "login" | "logout", now: Date) {
  return (await sql.query<SamlRequestRow>("saml_requests_find", finding, [id, purpose, now]))[0];
}

/** Marks a request as answered; false: it is already, or its time is over. */
export async function consumeSamlRequest(sql: Sql, id: string, purpose: "login" | "logout", now: Date) {
  return (await sql.query("saml_requests_consume", consuming, [id, purpose, now])).length > 0;
}

/** Remembers a message of an identity provider; false: it was remembered before. */
export async function consumeSamlMessage(
  sql: Sql,
  message: { connectionId: string; orgId: string; hash: Buffer; expiresAt: Date },
): Promise<boolean> {
  const { connectionId, hash, orgId, expiresAt } = message;
  return (await sql.query("saml_consumed_insert", remembering, [connectionId, hash, orgId, expiresAt])).length > 0;
}

const inserting = `
  insert into saml_requests
    (id, org_id, connection_id, purpose, config_version, relay_hash, return_to, browser_hash, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
const finding = `
  select id, org_id, connection_id, config_version, relay_hash, return_to, browser_hash, created_at
  from saml_requests where id = $1 and purpose = $2 and consumed_at is null and expires_at > $3`;
const consuming = `
  update saml_requests set consumed_at = $3
  where id = $1 and purpose = $2 and consumed_at is null and expires_at > $3 returning true`;
const remembering = `
  insert into saml_consumed (connection_id, assertion_hash, org_id, expires_at) values ($1, $2, $3, $4)
  on conflict do nothing returning true`;
