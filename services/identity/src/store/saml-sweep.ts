import type { Sql } from "@assistant/kit/database/postgres.js";

/** Removes some of what has had its time, of all orgs; answers how many of one table at most. */
export async function removeSamlRemains(sql: Sql, now: Date, limit: number): Promise<number> {
  let most = 0;
  for (const [name, text] of Object.entries(SWEEPS)) {
    most = Math.max(most, (await sql.query(name, text, [now, limit])).length);
  }
  return most;
}

// Several replicas sweep at once: each takes what the others have not.
const sweeping = (table: string, key: string) => `
  delete from ${table} where (${key}) in (
    select ${key} from ${table} where expires_at < $1 order by expires_at limit $2 for update skip locked)
  returning true`;

const SWEEPS = {
  saml_requests_sweep: sweeping("saml_requests", "id"),
  saml_consumed_sweep: sweeping("saml_consumed", "connection_id, assertion_hash"),
  login_codes_sweep: sweeping("login_codes", "code_hash"),
};
