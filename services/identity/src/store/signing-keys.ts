import type { Sql } from "@assistant/kit/database/postgres.js";

export interface SigningKeyRow {
  kid: string;
  public_x: string;
  public_y: string;
  private_sealed: Buffer;
  signs_from: Date;
}

/** The keys that tokens may still be signed with, the newest first; those that sign later are among them. */
export function listSigningKeys(sql: Sql, now: Date) {
  return sql.query<SigningKeyRow>("signing_keys_list", listing, [now]);
}

export interface NewSigningKey {
  kid: string;
  publicX: string;
  publicY: string;
  privateSealed: Buffer;
  signsFrom: Date;
}

export async function insertSigningKey(tx: Sql, fresh: NewSigningKey): Promise<void> {
  const { kid, publicX, publicY, privateSealed, signsFrom } = fresh;
  await tx.query("signing_keys_insert", inserting, [kid, publicX, publicY, privateSealed, signsFrom]);
}

/** Ends the time of all keys that have no end yet. */
export async function retireSigningKeys(tx: Sql, verifiesUntil: Date): Promise<void> {
  await tx.query("signing_keys_retire", retiring, [verifiesUntil]);
}

/** Removes the keys that no token needs any more; answers how many. */
export async function removeSigningKeysBefore(sql: Sql, time: Date): Promise<number> {
  return (await sql.query("signing_keys_sweep", sweeping, [time])).length;
}

/** Lets one replica after the other look whether there is a key, and make one. */
export async function lockSigningKeys(tx: Sql): Promise<void> {
  await tx.query("signing_keys_lock", "select pg_advisory_xact_lock($1)", [SIGNING_KEYS_KEY]);
}

// Any number will do, as long as no other lock of this database has it.
const SIGNING_KEYS_KEY = 4_102_002;

const listing = `
  select kid, public_x, public_y, private_sealed, signs_from from signing_keys
  where verifies_until is null or verifies_until > $1 order by signs_from desc, kid`;
const inserting = `
  insert into signing_keys (kid, public_x, public_y, private_sealed, signs_from) values ($1, $2, $3, $4, $5)`;
const retiring = "update signing_keys set verifies_until = $1 where verifies_until is null";
const sweeping = "delete from signing_keys where verifies_until < $1 returning kid";
