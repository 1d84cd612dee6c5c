import type { Sql } from "@assistant/kit/database/postgres.js";
import { last, type Slice } from "./order.js";
import type { ProfileKey } from "./profiles.js";

export interface LoginRow {
  id: string;
  at: Date;
  method: string;
  address: string | null;
  user_agent: string | null;
}

/** The logins of a principal to the org, newest first; with a session, the one that began it alone. */
export function listLogins(
  sql: Sql,
  { orgId, principalId }: ProfileKey,
  sessionId: string | undefined,
  { before, limit }: Slice<string>,
): Promise<LoginRow[]> {
  const values = [orgId, principalId, sessionId ?? null, before ?? last, limit];
  return sql.query<LoginRow>("logins_list", listing, values);
}

const listing = `
  select id, at, method, address, user_agent from login_history
  where principal_id = $2 and org_id = $1 and ($3::text is null or session_id = $3) and id < $4
  order by id desc limit $5`;
