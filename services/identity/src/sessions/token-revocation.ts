import type { Verifier } from "@assistant/kit/caller/verifier.js";
import type { Call } from "@assistant/kit/wire/call.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { SessionsServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/sessions_service.js";
import { findRefreshToken } from "../store/refresh-tokens.js";
import { findLiveSession, type LiveSessionRow } from "../store/sessions.js";
import { endSessions } from "./ending.js";
import { clearedRefreshCookie } from "./refresh-cookie.js";
import { refreshTokenHash } from "./refresh-token.js";
import type { SessionsParts } from "./sessions.js";
import { shownRefreshToken } from "./shown-token.js";
import { readAccessToken } from "./token-reading.js";

export interface RevocationParts extends SessionsParts {
  verifier: Verifier;
  issuer: string;
}

/** Whoever has a token may end its session; what the token was worth is told to nobody. */
export function tokenRevocation(parts: RevocationParts): Handlers<Pick<typeof rpcs, "revokeToken">> {
  return {
    revokeToken: async (request, call) => {
      const shown = shownRefreshToken("token", request, parts.issuer);
      const session = await sessionOf(parts, shown.token, call);
      if (session !== undefined) {
        const { idempotencyKey: _, ...rest } = call;
        const caller = { ...call.caller, principalId: session.principal_id, orgId: session.org_id };
        await parts.write({ ...rest, caller }, rpcs.revokeToken, request, async (tx) => {
          await endSessions(tx, session.org_id, { sessionId: session.id });
          return {};
        });
      }
      return shown.isCookie ? { set_cookie: clearedRefreshCookie(parts.issuer) } : {};
    },
  };
}

/** The session of a refresh token, were it used already, or of an access token that holds. */
async function sessionOf(parts: RevocationParts, token: string, call: Call): Promise<LiveSessionRow | undefined> {
  const hash = refreshTokenHash(token);
  if (hash === undefined) {
    return (await readAccessToken(parts, token, call))?.session;
  }
  const row = await findRefreshToken(parts.db, hash);
  return row && findLiveSession(parts.db, row.session_id, new Date(parts.clock()));
}
