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
  startedAt: Date;
  expiresAt: Date;
}

/** Starts a session; a key that was shown for it is marked as used, at most once a minute. */
export async function insertSession(tx: Tx, fresh: NewSession): Promise<void> {
  const { id, orgId, principalId, amr, keyId, startedAt, expiresAt } = fresh;
  await tx.change(inserting, [id, orgId, principalId, amr, keyId ?? null, startedAt, expiresAt]);
}

/** Removes some of the sessions that ended before a time, of all orgs; answers how many. */
export async function removeSessionsBefore(sql: Sql, time: Date, limit: number): Promise<number> {
  return (await sql.query("sessions_sweep", sweeping, [time, limit])).length;
}

const inserting = changing({
  name: "sessions_insert",
  before: `used as (
      update service_account_keys set last_used_at = $6::timestamptz
      where org_id = $2 and id = $5
        and (last_used_at is null or last_used_at < $6::timestamptz - interval '1 minute')),`,
  effect: `insert into sessions (id, org_id, principal_id, amr, key_id, created_at, expires_at, version)
    values ($1, $2, $3, $4, $5, $6, $7, 1) returning id, org_id, principal_id, amr, key_id, version`,
  event: { type: "identity.session.created", columns: ["id", "principal_id", "amr", "key_id"] },
});

// Several replicas sweep at once: each takes what the others have not.
const sweeping = `
  delete from sessions where id in (
    select id from sessions where expires_at < $1 order by expires_at limit $2 for update skip locked)
  returning id`;
