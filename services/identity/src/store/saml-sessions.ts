import type { Sql } from "@assistant/kit/database/postgres.js";

/** A session, and how it was opened by SAML. */
export interface SamlSessionRow {
  id: string;
  org_id: string;
  principal_id: string;
  /** Null: it was not opened by SAML. */
  connection_id: string | null;
  name_id: string | null;
  session_index: string | null;
}

/** The session of a refresh token, were the token used already. */
export async function findSessionOfToken(sql: Sql, tokenHash: Buffer): Promise<SamlSessionRow | undefined> {
  return (await sql.query<SamlSessionRow>("saml_sessions_find", finding, [tokenHash]))[0];
}

const finding = `
  select id, org_id, principal_id, connection_id, name_id, session_index from sessions
  where id = (select session_id from refresh_tokens where hash = $1) and ended_at is null`;
