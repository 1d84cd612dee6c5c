import { randomUUID } from "node:crypto";
import { anonymous } from "@assistant/kit/caller/caller.js";
import type { Write } from "@assistant/kit/database/write.js";
import { newId } from "@assistant/kit/process/id.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { refused } from "@assistant/kit/wire/fault.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import type { IssueTokenRequest } from "@assistant/proto/assistant/identity/v1/tokens.js";
import { type JWTPayload, SignJWT } from "jose";
import { type Client, type ClientParts, type Credentials, clientProof, GROUPS_MAX } from "./client.js";
import { type GrantedScope, grantScope } from "./granted-scope.js";
import type { SigningKeys } from "./signing-keys.js";
import { insertSession, type NewSession } from "./store/sessions.js";

export interface TokensParts extends ClientParts {
  write: Write;
  signingKeys: SigningKeys;
  issuer: string;
  audience: string;
}

export function tokens(parts: TokensParts): Handlers<Pick<typeof rpcs, "issueToken">> {
  const prove = clientProof(parts);
  return {
    issueToken: async (request, call) => {
      const { credentials, scope } = readGrant(request);
      const client = await prove(credentials);
      const granted = grantScope(scope, { role: client.role, platformAdmin: client.principal.platform_admin });
      const session = newSession(client, parts.clock());
      const access_token = await signedToken(parts, client, granted, session);
      return parts.write.single(callOf(client, call), rpcs.issueToken, request, async (tx) => {
        await insertSession(tx, session);
        return { access_token, token_type: "Bearer", expires_in: LIFETIME_S, scope: granted.scope };
      });
    },
  };
}

const LIFETIME_S = 600;

function readGrant(request: IssueTokenRequest): { credentials: Credentials; scope: string | undefined } {
  // RFC 6749, 3.2: what is sent without a value counts as left out.
  const [grantType, clientId, clientSecret, scope, loginHint] = [
    request.grant_type,
    request.client_id,
    request.client_secret,
    request.scope,
    request.login_hint,
  ].map((value) => (value === "" ? undefined : value));
  if (grantType === undefined) {
    throw refused("invalid_request");
  }
  if (grantType !== "client_credentials") {
    throw refused("unsupported_grant_type");
  }
  if (clientId === undefined || clientSecret === undefined) {
    // RFC 6749, 5.2: no client authentication included.
    throw refused("invalid_client");
  }
  return { credentials: { clientId, clientSecret, loginHint }, scope };
}

function newSession({ principal, amr, keyId }: Client, nowMs: number): NewSession {
  return {
    id: newId("ses"),
    orgId: principal.org_id,
    principalId: principal.id,
    amr,
    keyId,
    startedAt: new Date(nowMs),
    expiresAt: new Date(nowMs + LIFETIME_S * 1_000),
  };
}

async function signedToken(
  { signingKeys, issuer, audience }: TokensParts,
  { principal, amr }: Client,
  { role, platformAdmin, scope }: GrantedScope,
  session: NewSession,
): Promise<string> {
  const { kid, privateKey } = await signingKeys.signer();
  const issuedAtS = Math.floor(session.startedAt.getTime() / 1_000);
  const claims: JWTPayload = {
    iss: issuer,
    aud: audience,
    sub: principal.id,
    org: principal.org_id,
    sid: session.id,
    jti: randomUUID(),
    iat: issuedAtS,
    exp: issuedAtS + LIFETIME_S,
    scope,
    role,
    pa: platformAdmin,
    ...groupClaims(principal),
    ep: principal.epoch,
    amr,
  };
  return new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid, typ: "at+jwt" }).sign(privateKey);
}

function groupClaims({ group_ids, managed_group_ids }: Client["principal"]): JWTPayload {
  return group_ids.length > GROUPS_MAX ? { grp_more: true } : { grp: group_ids, gmgr: managed_group_ids };
}

/** The call, now that it is known whose it is. Without its Idempotency-Key: each request for a token gets its own. */
function callOf({ principal }: Client, call: Call): Call {
  const { rpc, deadlineMs, signal, requestId, traceparent, reply } = call;
  const caller = { ...anonymous, principalId: principal.id, orgId: principal.org_id };
  return { rpc, caller, deadlineMs, signal, requestId, traceparent, reply };
}
