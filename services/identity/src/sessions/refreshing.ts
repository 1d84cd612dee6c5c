import type { Tx } from "@assistant/kit/database/postgres.js";
import type { Keyring } from "@assistant/kit/database/seal.js";
import type { Client } from "@assistant/kit/wire/call.js";
import { grantScope } from "../granted-scope.js";
import {
  findRefreshToken,
  hasUnusedSuccessor,
  insertRefreshToken,
  type RefreshTokenRow,
  useRefreshToken,
} from "../store/refresh-tokens.js";
import { lockLiveSession, prolongSession } from "../store/sessions.js";
import { signAccessToken } from "./access-token.js";
import { currentPrincipal, heldBy } from "./current-principal.js";
import { endSessions } from "./ending.js";
import { idleExpiry, type OpenedSession, type OpeningParts } from "./opening.js";
import { clientHash, newRefreshToken, openSuccessor, refreshTokenHash, sealSuccessor } from "./refresh-token.js";

export interface RefreshingParts extends OpeningParts {
  keyring: Keyring;
}

export interface Refresh {
  token: string;
  /** The scope asked for; undefined: all of the session. */
  scope: string | undefined;
  client: Client | undefined;
}

/**
 * Prolongs the session of a refresh token in the caller's transaction, which is to be committed also where the answer
 * is undefined: the token is refused then, and where it was stolen, or nobody may use it any more, its session ended.
 */
export type RefreshSession = (tx: Tx, refresh: Refresh) => Promise<OpenedSession | undefined>;

export function sessionRefreshing(parts: RefreshingParts): RefreshSession {
  return async (tx, { token, scope, client }) => {
    const now = new Date(parts.clock());
    const held = await holdToken(tx, token, now);
    if (held === undefined) {
      return undefined;
    }
    const { session, row } = held;
    const successor = await findSuccessor(tx, row, { now, client, keyring: parts.keyring });
    const principal = successor === STOLEN ? undefined : await currentPrincipal(tx, session);
    if (principal === undefined || successor === STOLEN) {
      await endSessions(tx, session.org_id, { sessionId: session.id });
      return undefined;
    }
    const granted = grantScope(scope, heldBy(session, principal));
    const subject = { principal, granted, amr: session.amr, sessionId: session.id, endsAt: session.ends_at };
    const mint = { ...parts, signer: await parts.signingKeys.signer(tx), nowMs: now.getTime() };
    const signed = await signAccessToken(mint, { ...subject, useCaseId: session.use_case_id ?? undefined });
    const refreshToken = successor ?? (await rotate(tx, row, { now, client, keyring: parts.keyring }));
    const refreshEndsAt = idleExpiry(now.getTime(), session.ends_at);
    const { address, userAgent } = client ?? {};
    await prolongSession(tx, session.id, { usedAt: now, expiresAt: refreshEndsAt, address, userAgent });
    return { ...signed, sessionId: session.id, refreshToken, refreshEndsAt, scope: granted.scope };
  };
}

/** The token was used before, and not by who may ask for its successor again. */
const STOLEN = Symbol("stolen");

/** An answer that was lost on its way is asked for again within this time. */
const REPEAT_MS = 10_000;

/** The token as it is once nobody else changes its session. */
async function holdToken(tx: Tx, token: string, now: Date) {
  const hash = refreshTokenHash(token);
  const shown = hash && (await findRefreshToken(tx, hash));
  const session = shown && (await lockLiveSession(tx, shown.session_id, now));
  const row = session && (await findRefreshToken(tx, shown.hash));
  return row && { session, row };
}

interface Use {
  now: Date;
  client: Client | undefined;
  keyring: Keyring;
}

/** The token that this one was exchanged for already; undefined: it was not used yet. */
async function findSuccessor(tx: Tx, row: RefreshTokenRow, use: Use): Promise<string | typeof STOLEN | undefined> {
  const { used_at, client_hash, successor_sealed } = row;
  if (used_at === null) {
    return undefined;
  }
  const isRepeated =
    successor_sealed !== null &&
    use.now.getTime() - used_at.getTime() <= REPEAT_MS &&
    client_hash?.equals(clientHash(use.client)) === true &&
    (await hasUnusedSuccessor(tx, row));
  return isRepeated ? openSuccessor(use.keyring, row.hash, successor_sealed) : STOLEN;
}

async function rotate(tx: Tx, row: RefreshTokenRow, { now, client, keyring }: Use): Promise<string> {
  const { token, hash } = newRefreshToken();
  const successorSealed = sealSuccessor(keyring, row.hash, token);
  await useRefreshToken(tx, { hash: row.hash, usedAt: now, clientHash: clientHash(client), successorSealed });
  await insertRefreshToken(tx, { hash, sessionId: row.session_id, generation: row.generation + 1 });
  return token;
}
