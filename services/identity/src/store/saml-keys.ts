import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";

export interface SamlKeyRow {
  id: string;
  /** PEM. */
  certificate: string;
  private_sealed: Buffer;
  signs_from: Date;
  /** Null: no other key is to take over. */
  decrypts_until: Date | null;
  /** The certificate's end. */
  expires_at: Date;
}

export interface NewSamlKey {
  id: string;
  certificate: string;
  privateSealed: Buffer;
  signsFrom: Date;
  expiresAt: Date;
}

/** The keys that are of any use still, the newest first; one that signs later is among them. */
export function listSamlKeys(sql: Sql, now: Date): Promise<SamlKeyRow[]> {
  return sql.query<SamlKeyRow>("saml_sp_keys_list", listing, [now]);
}

/** Adds a key; those before it still decrypt until `formerUntil`. To be called with the turn of `lockSamlKeys`. */
export async function insertSamlKey(tx: Tx, fresh: NewSamlKey, formerUntil: Date): Promise<void> {
  const { id, certificate, privateSealed, signsFrom, expiresAt } = fresh;
  await tx.change(inserting, [id, certificate, privateSealed, signsFrom, expiresAt, formerUntil]);
}

/** Lets one replica after the other look whether there is a key, and make one. */
export async function lockSamlKeys(tx: Sql): Promise<void> {
  await tx.query("saml_sp_keys_lock", "select pg_advisory_xact_lock($1)", [SAML_KEYS_KEY]);
}

/** Removes keys that are of no use any more. */
export async function removeSamlKeysBefore(sql: Sql, now: Date): Promise<void> {
  await sql.query("saml_sp_keys_sweep", "delete from saml_sp_keys where decrypts_until < $1", [now]);
}

// Any number will do, as long as no other lock of this database has it.
const SAML_KEYS_KEY = 4_102_012;

const listing = `
  select id, certificate, private_sealed, signs_from, decrypts_until, expires_at from saml_sp_keys
  where decrypts_until is null or decrypts_until >= $1 order by signs_from desc, id desc`;

const inserting = changing({
  name: "saml_sp_keys_insert",
  before: "retired as (update saml_sp_keys set decrypts_until = $6 where decrypts_until is null),",
  effect: `insert into saml_sp_keys (id, certificate, private_sealed, signs_from, expires_at)
    values ($1, $2, $3, $4, $5) returning id, '' as org_id, signs_from, expires_at, 1 as version`,
  event: { type: "identity.saml_key.created", columns: ["id", "signs_from", "expires_at"] },
});
