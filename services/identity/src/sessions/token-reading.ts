import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Verifier } from "@assistant/kit/caller/verifier.js";
import type { Sql } from "@assistant/kit/database/postgres.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import type { PrincipalRow } from "../store/principals.js";
import { findRefreshToken } from "../store/refresh-tokens.js";
import { findLiveSession, type LiveSessionRow } from "../store/sessions.js";
import { currentPrincipal, findPrincipal } from "./current-principal.js";
import { refreshTokenHash } from "./refresh-token.js";

/** Who an access token stands for that still holds, by what the database says now. */
export async function readAccessToken(
  { db, verifier, clock }: { db: Sql; verifier: Verifier; clock: () => number },
  token: string,
  about: Pick<Call, "requestId" | "traceparent">,
): Promise<{ caller: Caller; session: LiveSessionRow; principal: PrincipalRow } | undefined> {
  const caller = await verified(verifier, token, about);
  const session = caller && (await findLiveSession(db, caller.sessionId, new Date(clock())));
  const principal = session && (await findPrincipal(db, caller.orgId, caller.principalId));
  return principal && { caller, session, principal };
}

/** Who a refresh token stands for that has not been used. */
export async function readRefreshToken(
  { db, clock }: { db: Sql; clock: () => number },
  token: string,
): Promise<{ session: LiveSessionRow; principal: PrincipalRow } | undefined> {
  const hash = refreshTokenHash(token);
  const row = hash && (await findRefreshToken(db, hash));
  const session = row?.used_at === null ? await findLiveSession(db, row.session_id, new Date(clock())) : undefined;
  const principal = session && (await currentPrincipal(db, session));
  return principal && { session, principal };
}

/** Undefined: the token does not hold. Throws where nothing can be said for now. */
async function verified(verifier: Verifier, token: string, about: Pick<Call, "requestId" | "traceparent">) {
  try {
    return await verifier.verify(token, about);
  } catch (error) {
    if (error instanceof Fault && error.kind === "unauthenticated") {
      return undefined;
    }
    throw error;
  }
}
