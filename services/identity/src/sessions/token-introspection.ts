import type { Verifier } from "@assistant/kit/caller/verifier.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { refused } from "@assistant/kit/wire/fault.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { SessionsServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/sessions_service.js";
import type { IntrospectTokenResponse } from "@assistant/proto/assistant/identity/v1/tokens.js";
import { decodeJwt } from "jose";
import { grantScope } from "../granted-scope.js";
import { heldBy } from "./current-principal.js";
import type { SessionsParts } from "./sessions.js";
import { readAccessToken, readRefreshToken } from "./token-reading.js";

export interface IntrospectionParts extends SessionsParts {
  verifier: Verifier;
  issuer: string;
  audience: string;
}

export function tokenIntrospection(parts: IntrospectionParts): Handlers<Pick<typeof rpcs, "introspectToken">> {
  return {
    introspectToken: async ({ token }, call) => {
      if (token === undefined || token === "") {
        throw refused("invalid_request", "token is missing");
      }
      const { orgId } = call.caller;
      const told = (await accessTokenOf(parts, token, call)) ?? (await refreshTokenOf(parts, token));
      // Of what belongs to others, and of what does not hold, one learns the same.
      return told?.org === orgId ? told : { active: false };
    },
  };
}

async function accessTokenOf(
  parts: IntrospectionParts,
  token: string,
  call: Call,
): Promise<IntrospectTokenResponse | undefined> {
  const read = await readAccessToken(parts, token, call);
  // It is verified, so these are claims that identity made.
  const claims = read && decodeJwt<{ ep: number; scope: string }>(token);
  if (read === undefined || claims === undefined || claims.ep < read.principal.epoch) {
    return undefined;
  }
  const { caller, session } = read;
  const { exp, iat, jti, scope } = claims;
  return {
    active: true,
    scope,
    client_id: session.amr.includes("key") ? caller.principalId : undefined,
    token_type: "Bearer",
    exp,
    iat,
    sub: caller.principalId,
    aud: parts.audience,
    iss: parts.issuer,
    jti,
    org: caller.orgId,
    sid: session.id,
  };
}

async function refreshTokenOf(parts: IntrospectionParts, token: string): Promise<IntrospectTokenResponse | undefined> {
  const read = await readRefreshToken(parts, token);
  return (
    read && {
      active: true,
      scope: grantScope(undefined, heldBy(read.session, read.principal)).scope,
      exp: Math.floor(read.session.expires_at.getTime() / 1_000),
      sub: read.principal.id,
      iss: parts.issuer,
      org: read.principal.org_id,
      sid: read.session.id,
    }
  );
}
