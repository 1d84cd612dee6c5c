import type { Sql } from "@assistant/kit/database/postgres.js";

export interface NewLogin {
  id: string;
  orgId: string;
  principalId: string;
  sessionId: string;
  method: "saml" | "magic_link" | "qr_link" | "bootstrap";
  address: string | undefined;
  userAgent: string | undefined;
  at: Date;
}

/** Remembers that somebody signed in; the session's own event tells of it. */
export async function insertLogin(tx: Sql, fresh: NewLogin): Promise<void> {
  const { id, orgId, principalId, sessionId, method, address = null, userAgent = null, at } = fresh;
  await tx.query("logins_insert", inserting, [id, orgId, principalId, sessionId, method, address, userAgent, at]);
}

/** Removes some of the logins before a time, of all orgs; answers how many. */
export async function removeLoginsBefore(sql: Sql, time: Date, limit: number): Promise<number> {
  return (await sql.query("logins_sweep", sweeping, [time, limit])).length;
}

const inserting = `
  insert into login_history (id, org_id, principal_id, session_id, method, address, user_agent, at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;

// Several replicas sweep at once: each takes what the others have not.
const sweeping = `
  delete from login_history where id in (
    select id from login_history where at < $1 order by at limit $2 for update skip locked)
  returning id`;
