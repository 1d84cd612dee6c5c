import type { Sql } from "@assistant/kit/database/postgres.js";

/** Lets one replica after the other look whether there is an org. */
export async function lockFirstOrg(tx: Sql): Promise<void> {
  await tx.query("first_org_lock", "select pg_advisory_xact_lock($1)", [FIRST_ORG_KEY]);
}

export async function hasOrgs(sql: Sql): Promise<boolean> {
  return (await sql.query("orgs_find_any", "select from orgs limit 1", [])).length > 0;
}

// Any number will do, as long as no other lock of this database has it.
const FIRST_ORG_KEY = 4_102_003;
