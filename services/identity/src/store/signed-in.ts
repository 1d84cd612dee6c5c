import type { Sql } from "@assistant/kit/database/postgres.js";

export interface SignedInRow {
  principal_id: string;
  /** A user's e-mail address, a service account's name; null: the principal is gone. */
  called: string | null;
}

/** Whose session a refresh token prolongs; undefined: nobody's any more. */
export async function findSignedIn(sql: Sql, tokenHash: Buffer, now: Date): Promise<SignedInRow | undefined> {
  return (await sql.query<SignedInRow>("signed_in_find", finding, [tokenHash, now]))[0];
}

const finding = `
  select principal_id, coalesce(
      (select email from users where users.id = principal_id),
      (select name from service_accounts
        where service_accounts.org_id = sessions.org_id and service_accounts.id = principal_id)) as called
  from refresh_tokens join sessions on sessions.id = session_id
  where hash = $1 and used_at is null and ended_at is null and expires_at > $2`;
