import type { Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";

/** Tells that a sign-in or sign-out was refused, and in one word why: for audit, where who sent it learns nothing. */
export async function tellSamlRefusal(tx: Tx, orgId: string, connectionId: string, reason: string): Promise<void> {
  await tx.change(telling, [connectionId, orgId, reason]);
}

// It changes nothing, so it is of no version.
const telling = changing({
  name: "saml_logins_refuse",
  effect: "select $1::text as id, $2::text as org_id, 0 as version, $1::text as connection_id, $3::text as reason",
  event: { type: "identity.saml_login.refused", columns: ["connection_id", "reason"] },
});
