import { randomUUID } from "node:crypto";
import { refused } from "@assistant/kit/wire/fault.js";
import { type JWTPayload, SignJWT } from "jose";
import { GROUPS_MAX } from "../client.js";
import type { GrantedScope } from "../granted-scope.js";
import type { Signer } from "../signing-keys.js";
import type { PrincipalRow } from "../store/principals.js";

/** What an access token says of whom. */
export interface TokenSubject {
  principal: PrincipalRow;
  granted: GrantedScope;
  /** How the principal proved itself. */
  amr: readonly string[];
  sessionId: string;
  useCaseId: string | undefined;
  /** When the session ends at the latest. */
  endsAt: Date;
}

export interface TokenMint {
  signer: Signer;
  issuer: string;
  audience: string;
  nowMs: number;
}

/** How long an access token is good for, unless its session ends before. */
export const LIFETIME_S = 600;

/** An access token as of RFC 9068, and for how long it is good. */
export async function signAccessToken(
  { signer, issuer, audience, nowMs }: TokenMint,
  subject: TokenSubject,
): Promise<{ accessToken: string; expiresInS: number }> {
  const issuedAtS = Math.floor(nowMs / 1_000);
  const expiresAtS = Math.min(issuedAtS + LIFETIME_S, Math.floor(subject.endsAt.getTime() / 1_000));
  if (expiresAtS <= issuedAtS) {
    // The session ends within this second: what it was opened or prolonged with is over.
    throw refused("invalid_grant");
  }
  const claims: JWTPayload = {
    iss: issuer,
    aud: audience,
    jti: randomUUID(),
    iat: issuedAtS,
    exp: expiresAtS,
    ...claimsOf(subject),
  };
  const header = { alg: "ES256", kid: signer.kid, typ: "at+jwt" };
  const accessToken = await new SignJWT(claims).setProtectedHeader(header).sign(signer.privateKey);
  return { accessToken, expiresInS: expiresAtS - issuedAtS };
}

function claimsOf({ principal, granted, amr, sessionId, useCaseId }: TokenSubject): JWTPayload {
  return {
    sub: principal.id,
    org: principal.org_id,
    sid: sessionId,
    scope: granted.scope,
    role: granted.role,
    pa: granted.platformAdmin,
    ...groupClaims(principal),
    ep: principal.epoch,
    amr,
    ...(useCaseId === undefined ? {} : { uc: useCaseId }),
  };
}

function groupClaims({ group_ids, managed_group_ids }: PrincipalRow): JWTPayload {
  return group_ids.length > GROUPS_MAX ? { grp_more: true } : { grp: group_ids, gmgr: managed_group_ids };
}
