import type { Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { listingSessions } from "./revocations.js";

/** Which sessions end. */
export type WhichSessions =
  | { sessionId: string }
  | { principalId: string }
  | { keyId: string }
  | { linkId: string }
  | { connectionId: string; nameId: string; sessionIndex: string | undefined }
  | { connectionId: string };

/** Ends sessions of an org that have not ended, and lists each as revoked; answers their ids. */
export async function endSessionsWhere(tx: Tx, orgId: string, which: WhichSessions): Promise<{ id: string }[]> {
  if ("sessionId" in which) return tx.change(ending.session, [orgId, which.sessionId]);
  if ("principalId" in which) return tx.change(ending.principal, [orgId, which.principalId]);
  if ("keyId" in which) return tx.change(ending.key, [orgId, which.keyId]);
  if ("linkId" in which) return tx.change(ending.link, [orgId, which.linkId]);
  if (!("nameId" in which)) return tx.change(ending.connection, [orgId, which.connectionId]);
  const { connectionId, nameId, sessionIndex = null } = which;
  return tx.change(ending.name, [orgId, connectionId, nameId, sessionIndex]);
}

// No token of a session outlives it. What ran out an hour ago, by whatever clock, needs no end and no event. Rows are
// taken in the order of ids, lest two such statements wait for each other.
function endingWhere(name: string, condition: string) {
  return changing({
    name: `sessions_end_${name}`,
    before: `ended as (
      select id from sessions
      where org_id = $1 and ${condition} and ended_at is null and expires_at > now() - interval '1 hour'
      order by id for update),
      ${listingSessions("select id from ended")}`,
    effect: `update sessions set ended_at = now(), expires_at = least(expires_at, now()), version = version + 1
      from ended where sessions.id = ended.id
      returning sessions.id, org_id, principal_id, version`,
    event: { type: "identity.session.ended", columns: ["id", "principal_id"] },
  });
}

const ending = {
  session: endingWhere("session", "id = $2"),
  principal: endingWhere("principal", "principal_id = $2"),
  key: endingWhere("key", "key_id = $2"),
  link: endingWhere("link", "link_id = $2"),
  connection: endingWhere("connection", "connection_id = $2"),
  name: endingWhere("name", "connection_id = $2 and name_id = $3 and ($4::text is null or session_index = $4::text)"),
};
