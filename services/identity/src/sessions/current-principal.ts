import type { Sql } from "@assistant/kit/database/postgres.js";
import { idPrefix } from "@assistant/kit/process/id.js";
import { GROUPS_MAX } from "../client.js";
import { type HeldScope, heldWithin } from "../granted-scope.js";
import {
  findActiveOrgId,
  findServiceAccountPrincipal,
  findUserPrincipal,
  type PrincipalRow,
} from "../store/principals.js";
import type { LiveSessionRow } from "../store/sessions.js";

/**
 * Who a session acts as from now on: in the org that the user has chosen, if still a member there, else in the one that
 * the session was begun in. Undefined: nobody, the principal may not sign in any more, or not in this way.
 */
export async function currentPrincipal(sql: Sql, session: LiveSessionRow): Promise<PrincipalRow | undefined> {
  const { org_id, principal_id } = session;
  const chosen = isUser(principal_id) ? await findActiveOrgId(sql, principal_id) : undefined;
  const elsewhere =
    chosen === undefined || chosen === org_id ? undefined : await findPrincipal(sql, chosen, principal_id);
  const principal = elsewhere ?? (await findPrincipal(sql, org_id, principal_id));
  // No identity provider of an org gets hold of the platform: not by a session either that is older than the right.
  const isAboveProvider = session.connection_id !== null && principal?.platform_admin === true;
  return isAboveProvider ? undefined : principal;
}

/** A user or service account who may sign in to an org. */
export function findPrincipal(sql: Sql, orgId: string, id: string): Promise<PrincipalRow | undefined> {
  return isUser(id)
    ? findUserPrincipal(sql, orgId, id, GROUPS_MAX)
    : findServiceAccountPrincipal(sql, orgId, id, GROUPS_MAX);
}

/** What a session may do from now on. */
export function heldBy({ scope }: LiveSessionRow, { role, platform_admin }: PrincipalRow): HeldScope {
  const held = { role, platformAdmin: platform_admin };
  return scope === null ? held : heldWithin(scope, held);
}

function isUser(principalId: string): boolean {
  return idPrefix(principalId) === "usr";
}
