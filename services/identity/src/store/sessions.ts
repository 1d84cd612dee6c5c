import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";

export interface NewSession {
  id: string;
  orgId: string;
  principalId: string;
  /** How the principal proved itself. */
  amr: readonly string[];
  /** The key that was shown, if one was. */
  keyId: string | undefined;
  /** What that key is known by from now on; undefined: by what it is known already. */
  keyMac: Buffer | undefined;
  startedAt: Date;
  /** When it ends, unless it is prolonged before. */
  expiresAt: Date;
  /** When it ends at the latest. */
  endsAt: Date;
  /** What it may do at most; undefined: whatever its principal may. */
  scope: string | undefined;
  useCaseId: string | undefined;
  linkId: string | undefined;
  connectionId: string | undefined;
  nameId: string | undefined;
  sessionIndex: string | undefined;
  address: string | undefined;
  userAgent: string | undefined;
}

/**
 * Starts a session; answers whether it could: not with a key that is gone. A key that was shown is marked as used, at
 * most once a minute or with what it is known by anew, and held, so that whoever removes it finds all sessions that it
 * opened.
 */
export async function insertSession(tx: Tx, fresh: NewSession): Promise<boolean> {
  const { id, orgId, principalId, amr, startedAt, expiresAt, endsAt } = fresh;
  const about = [fresh.scope, fresh.useCaseId, fresh.linkId, fresh.connectionId, fresh.nameId, fresh.sessionIndex];
  const values = [id, orgId, principalId, amr, fresh.keyId ?? null, startedAt, expiresAt, endsAt];
  const optional = [...about, fresh.address, fresh.userAgent, fresh.keyMac].map((value) => value ?? null);
  return (await tx.change(inserting, [...values, ...optional])).length > 0;
}

export interface LiveSessionRow {
  id: string;
  org_id: string;
  principal_id: string;
  amr: string[];
  scope: string | null;
  use_case_id: string | null;
  /** The SAML connection that it was begun with. */
  connection_id: string | null;
  expires_at: Date;
  ends_at: Date;
}

/** A session that has not ended. */
export async function findLiveSession(sql: Sql, id: string, now: Date): Promise<LiveSessionRow | undefined> {
  return (await sql.query<LiveSessionRow>("sessions_find_live", findingLive, [id, now]))[0];
}

/** As `findLiveSession`; holds the session until the end of the transaction. */
export async function lockLiveSession(tx: Sql, id: string, now: Date): Promise<LiveSessionRow | undefined> {
  return (await tx.query<LiveSessionRow>("sessions_lock_live", `${findingLive} for update`, [id, now]))[0];
}

export interface Prolongation {
  usedAt: Date;
  expiresAt: Date;
  address: string | undefined;
  userAgent: string | undefined;
}

/** Prolongs a session that `lockLiveSession` holds. */
export async function prolongSession(tx: Sql, id: string, prolongation: Prolongation): Promise<void> {
  const { usedAt, expiresAt, address = null, userAgent = null } = prolongation;
  await tx.query("sessions_prolong", prolonging, [id, usedAt, expiresAt, address, userAgent]);
}

/** Removes some of the sessions that ended before a time, of all orgs; answers how many. */
export async function removeSessionsBefore(sql: Sql, time: Date, limit: number): Promise<number> {
  return (await sql.query("sessions_sweep", sweeping, [time, limit])).length;
}

const inserting = changing({
  name: "sessions_insert",
  before: `held as (select id from service_account_keys where org_id = $2 and id = $5 for key share),
    used as (
      update service_account_keys set last_used_at = $6::timestamptz, secret_mac = coalesce($17::bytea, secret_mac)
      where org_id = $2 and id = $5
        and ($17::bytea is not null or last_used_at is null or last_used_at < $6::timestamptz - interval '1 minute')),`,
  effect: `insert into sessions
      (id, org_id, principal_id, amr, key_id, created_at, last_used_at, expires_at, ends_at, scope, use_case_id, link_id,
        connection_id, name_id, session_index, address, user_agent, version)
    select $1, $2, $3, $4, $5::text, $6::timestamptz, $6::timestamptz, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 1
    where $5::text is null or exists (select from held)
    returning id, org_id, principal_id, amr, key_id, use_case_id, link_id, connection_id, version`,
  event: {
    type: "identity.session.created",
    columns: ["id", "principal_id", "amr", "key_id", "use_case_id", "link_id", "connection_id"],
  },
});

const findingLive = `
  select id, org_id, principal_id, amr, scope, use_case_id, connection_id, expires_at,
    coalesce(ends_at, expires_at) as ends_at
  from sessions where id = $1 and ended_at is null and expires_at > $2`;

const prolonging = `
  update sessions set last_used_at = $2, expires_at = $3, address = $4, user_agent = $5 where id = $1`;

// Several replicas sweep at once: each takes what the others have not.
const sweeping = `
  delete from sessions where id in (
    select id from sessions where expires_at < $1 order by expires_at limit $2 for update skip locked)
  returning id`;
