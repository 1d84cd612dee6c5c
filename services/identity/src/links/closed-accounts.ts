import type { Tx } from "@assistant/kit/database/postgres.js";
import { endSessions } from "../sessions/ending.js";
import { revokeMagicLinks } from "../store/magic-links.js";
import type { ServiceAccountRow } from "../store/service-accounts.js";

/** Revokes the links of a service account that is held and about to end, and ends its sessions, for good. */
export async function closeAccount(tx: Tx, { org_id, id }: ServiceAccountRow, now: Date): Promise<void> {
  await revokeMagicLinks(tx, org_id, { serviceAccountId: id }, now);
  await endSessions(tx, org_id, { principalId: id });
}
