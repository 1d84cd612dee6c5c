import type { Tx } from "@assistant/kit/database/postgres.js";
import { endSessionsWhere, type WhichSessions } from "../store/session-ends.js";

export type { WhichSessions };

/**
 * Ends sessions of an org and lists them as revoked, in the caller's transaction; answers their ids. What must not open
 * another session meanwhile, a link or a key, is held by the caller before.
 */
export async function endSessions(tx: Tx, orgId: string, which: WhichSessions): Promise<string[]> {
  return (await endSessionsWhere(tx, orgId, which)).map(({ id }) => id);
}
