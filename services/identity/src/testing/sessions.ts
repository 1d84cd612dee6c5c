import type { Client } from "@assistant/kit/wire/call.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import type { IssueTokenRequest } from "@assistant/proto/assistant/identity/v1/tokens.js";
import { grantScope } from "../granted-scope.js";
import { findPrincipal } from "../sessions/current-principal.js";
import { type OpenedSession, type SessionStart, sessionOpening } from "../sessions/opening.js";
import { signingKeys } from "../signing-keys.js";
import { present } from "./people.js";
import { ORIGIN, type Platform } from "./platform.js";

/** A browser somewhere. */
export const BROWSER: Client = { address: "192.0.2.1", userAgent: "Browser/1" };

/** Signs a principal in as SAML would; `changed` replaces how. */
export async function openSession(
  platform: Platform,
  { id, orgId }: { id: string; orgId: string },
  changed: Partial<SessionStart> = {},
): Promise<OpenedSession & { refreshToken: string }> {
  const principal = present(await findPrincipal(platform.db, orgId, id));
  const { role, platform_admin: platformAdmin } = principal;
  const start: SessionStart = {
    principal,
    granted: grantScope(undefined, { role, platformAdmin }),
    amr: ["saml"],
    method: "saml",
    client: BROWSER,
    refreshable: true,
    ...changed,
  };
  const open = sessionOpening({ ...platform, signingKeys: signingKeys(platform) });
  const opened = await platform.db.transaction(ORIGIN, (tx) => open(tx, start));
  return { ...opened, refreshToken: opened.refreshToken ?? "" };
}

/** Asks for the next tokens as a browser would. */
export function refreshed(
  platform: Platform,
  refresh_token: string | undefined,
  changed: Partial<IssueTokenRequest> = {},
  client: Client = BROWSER,
) {
  const request = { grant_type: "refresh_token", refresh_token, ...changed };
  return platform.bearer("").ask(rpcs.issueToken, request, { client });
}

/** The next refresh token. */
export async function successorOf(platform: Platform, token: string, client?: Client): Promise<string> {
  return present((await refreshed(platform, token, {}, client)).refresh_token);
}
