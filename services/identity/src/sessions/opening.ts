import type { Tx } from "@assistant/kit/database/postgres.js";
import { newId } from "@assistant/kit/process/id.js";
import type { Client } from "@assistant/kit/wire/call.js";
import { refused } from "@assistant/kit/wire/fault.js";
import type { GrantedScope } from "../granted-scope.js";
import type { Signer, SigningKeys } from "../signing-keys.js";
import { insertLogin, type NewLogin } from "../store/login-history.js";
import type { PrincipalRow } from "../store/principals.js";
import { insertRefreshToken } from "../store/refresh-tokens.js";
import { insertSession, type NewSession } from "../store/sessions.js";
import { LIFETIME_S, signAccessToken } from "./access-token.js";
import { newRefreshToken } from "./refresh-token.js";

/** How somebody signed in. */
export type LoginMethod = NewLogin["method"];

export interface SessionStart {
  principal: PrincipalRow;
  granted: GrantedScope;
  /** How the principal proved itself. */
  amr: readonly string[];
  /** Written to the login history; undefined: not a login. */
  method: LoginMethod | undefined;
  client: Client | undefined;
  /** The key of a service account that was shown. */
  keyId?: string | undefined;
  /** What that key is known by from now on; undefined: by what it is known already. */
  keyMac?: Buffer | undefined;
  /** The one use case that the session is good for. */
  useCaseId?: string | undefined;
  linkId?: string | undefined;
  /** The SAML connection, and what its identity provider calls the user and the session. */
  connection?: { id: string; nameId: string; sessionIndex: string | undefined } | undefined;
  /** Nothing of the session outlives this. */
  endsAt?: Date | undefined;
  refreshable: boolean;
}

export interface OpenedSession {
  sessionId: string;
  accessToken: string;
  expiresInS: number;
  refreshToken: string | undefined;
  /** When the refresh token stops to work, unless it is used before. */
  refreshEndsAt: Date | undefined;
  scope: string;
}

/** `signer`: found before, where the transaction has room for one statement only. */
export type OpenSession = (tx: Tx, start: SessionStart, signer?: Signer) => Promise<OpenedSession>;

export interface OpeningParts {
  clock: () => number;
  signingKeys: SigningKeys;
  issuer: string;
  audience: string;
}

/** Opens sessions: row, login history and refresh token in the caller's transaction. */
export function sessionOpening({ clock, signingKeys, issuer, audience }: OpeningParts): OpenSession {
  return async (tx, start, known) => {
    const nowMs = clock();
    const session = newSession(start, nowMs);
    const { principal, granted, amr, useCaseId } = start;
    const subject = { principal, granted, amr, useCaseId, sessionId: session.id, endsAt: session.endsAt };
    const signer = known ?? (await signingKeys.signer(tx));
    const { accessToken, expiresInS } = await signAccessToken({ signer, issuer, audience, nowMs }, subject);
    if (!(await insertSession(tx, session))) {
      throw refused("invalid_client");
    }
    if (start.method !== undefined) {
      await insertLogin(tx, newLogin(session, start.method));
    }
    const refreshToken = start.refreshable ? await firstRefreshToken(tx, session.id) : undefined;
    return {
      sessionId: session.id,
      accessToken,
      expiresInS,
      refreshToken,
      refreshEndsAt: start.refreshable ? session.expiresAt : undefined,
      scope: granted.scope,
    };
  };
}

/** When a session ends that is prolonged now. */
export function idleExpiry(nowMs: number, endsAt: Date): Date {
  return new Date(Math.min(nowMs + IDLE_MS, endsAt.getTime()));
}

const DAY_MS = 86_400_000;
const IDLE_MS = 30 * DAY_MS;
const ABSOLUTE_MS = 90 * DAY_MS;
const GUEST_MS = 8 * 3_600_000;
const AGENT_MAX = 512;

function newSession(start: SessionStart, nowMs: number): NewSession {
  const { principal, amr, keyId, keyMac, useCaseId, linkId, connection, client } = start;
  const endsAt = new Date(Math.min(nowMs + longestMs(start), start.endsAt?.getTime() ?? Number.POSITIVE_INFINITY));
  return {
    id: newId("ses"),
    orgId: principal.org_id,
    principalId: principal.id,
    amr,
    keyId,
    keyMac,
    startedAt: new Date(nowMs),
    expiresAt: idleExpiry(nowMs, endsAt),
    endsAt,
    scope: ownScope(start),
    useCaseId,
    linkId,
    connectionId: connection?.id,
    nameId: connection?.nameId,
    sessionIndex: connection?.sessionIndex,
    address: client?.address,
    userAgent: client?.userAgent.slice(0, AGENT_MAX),
  };
}

function longestMs({ refreshable, useCaseId }: SessionStart): number {
  if (!refreshable) {
    return LIFETIME_S * 1_000;
  }
  return useCaseId === undefined ? ABSOLUTE_MS : GUEST_MS;
}

/**
 * Undefined where all was granted that the principal has: it may then do whatever the principal may later. Not so for a
 * guest, who is a guest of whatever the account may become.
 */
function ownScope({ principal, granted, useCaseId }: SessionStart): string | undefined {
  const isWhole = granted.role === principal.role && granted.platformAdmin === principal.platform_admin;
  return isWhole && useCaseId === undefined ? undefined : granted.scope;
}

function newLogin(session: NewSession, method: LoginMethod): NewLogin {
  const { id: sessionId, orgId, principalId, address, userAgent, startedAt: at } = session;
  return { id: newId("login"), orgId, principalId, sessionId, method, address, userAgent, at };
}

async function firstRefreshToken(tx: Tx, sessionId: string): Promise<string> {
  const { token, hash } = newRefreshToken();
  await insertRefreshToken(tx, { hash, sessionId, generation: 1 });
  return token;
}
