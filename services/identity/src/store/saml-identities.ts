import type { Tx } from "@assistant/kit/database/postgres.js";
import type { Status } from "./users.js";

/** The user whom an identity provider calls by a name. */
export interface SamlIdentityRow {
  user_id: string;
}

/** Who is to be signed in, held until the end of the transaction. */
export interface SamlUserRow {
  id: string;
  /** The org that made the user. */
  org_id: string;
  name: string;
  status: Status;
  platform_admin: boolean;
}

/** Lets the sign-ins of one name take turns: the first may make the user whom the others find. */
export async function lockSamlName(tx: Tx, connectionId: string, nameId: string): Promise<void> {
  await tx.query("saml_identities_turn", "select pg_advisory_xact_lock(hashtextextended($1, 0))", [
    JSON.stringify(["saml identity", connectionId, nameId]),
  ]);
}

export async function findSamlIdentity(tx: Tx, orgId: string, connectionId: string, nameId: string) {
  return (await tx.query<SamlIdentityRow>("saml_identities_find", finding, [orgId, connectionId, nameId]))[0];
}

/** Whether a user, held by `lockSamlUser`, has a name with the connection. */
export async function hasSamlIdentity(tx: Tx, orgId: string, connectionId: string, userId: string): Promise<boolean> {
  return (await tx.query("saml_identities_of_user", findingOfUser, [orgId, connectionId, userId])).length > 0;
}

export async function insertSamlIdentity(tx: Tx, orgId: string, connectionId: string, nameId: string, userId: string) {
  await tx.query("saml_identities_insert", inserting, [orgId, connectionId, nameId, userId]);
}

/** Holds a user of any org until the end of the transaction. */
export async function lockSamlUser(tx: Tx, userId: string): Promise<SamlUserRow | undefined> {
  return (await tx.query<SamlUserRow>("saml_users_lock", `${selecting} where id = $1 for no key update`, [userId]))[0];
}

/** As `lockSamlUser`, by the address that users of the org are told apart by. */
export async function lockSamlUserByEmail(tx: Tx, orgId: string, emailKey: string): Promise<SamlUserRow | undefined> {
  const text = `${selecting} where org_id = $1 and email_key = $2 for no key update`;
  return (await tx.query<SamlUserRow>("saml_users_lock_by_email", text, [orgId, emailKey]))[0];
}

const finding = "select user_id from saml_identities where org_id = $1 and connection_id = $2 and name_id = $3";
const findingOfUser = "select from saml_identities where org_id = $1 and connection_id = $2 and user_id = $3";
const inserting = `
  insert into saml_identities (org_id, connection_id, name_id, user_id) values ($1, $2, $3, $4)`;
const selecting = "select id, org_id, name, status, platform_admin from users";
