import { anonymous, type Caller } from "@assistant/kit/caller/caller.js";
import type { Write } from "@assistant/kit/database/write.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { refused } from "@assistant/kit/wire/fault.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import type { IssueTokenRequest, IssueTokenResponse } from "@assistant/proto/assistant/identity/v1/tokens.js";
import { BOOTSTRAP, type ClientParts, type Credentials, clientProof } from "./client.js";
import { grantScope } from "./granted-scope.js";
import { type ConsumptionParts, consumeMagicLink } from "./links/consumption.js";
import { type OpenedSession, type SessionStart, sessionOpening } from "./sessions/opening.js";
import { refreshCookie } from "./sessions/refresh-cookie.js";
import { type RefreshingParts, sessionRefreshing } from "./sessions/refreshing.js";
import { type ShownToken, shownRefreshToken } from "./sessions/shown-token.js";

export interface TokensParts extends ClientParts, RefreshingParts, ConsumptionParts {
  write: Write;
}

export function tokens(parts: TokensParts): Handlers<Pick<typeof rpcs, "issueToken">> {
  const grants = new Map<string, Grant>([
    ["client_credentials", clientCredentials(parts)],
    ["refresh_token", refreshToken(parts)],
    ["urn:assistant:grant-type:magic-link", magicLink(parts)],
  ]);
  return {
    issueToken: async (sent, call) => {
      const request = withoutBlanks(sent);
      if (request.grant_type === undefined) {
        throw refused("invalid_request", "grant_type is missing");
      }
      const grant = grants.get(request.grant_type);
      if (grant === undefined) {
        throw refused("unsupported_grant_type", `grant_type must be one of ${[...grants.keys()].join(", ")}`);
      }
      return grant(request, call);
    },
  };
}

type Grant = (request: IssueTokenRequest, call: Call) => Promise<IssueTokenResponse>;

function clientCredentials(parts: TokensParts): Grant {
  const prove = clientProof(parts);
  const open = sessionOpening(parts);
  return async (request, call) => {
    const client = await prove(readCredentials(request));
    const { principal, amr, keyId, keyMac } = client;
    const granted = grantScope(request.scope, { role: client.role, platformAdmin: principal.platform_admin });
    const method = keyId === undefined ? BOOTSTRAP : undefined;
    const key = { keyId, keyMac };
    const start: SessionStart = { principal, granted, amr, ...key, method, client: call.client, refreshable: false };
    const signer = await parts.signingKeys.signer();
    // The session of a key is one statement; that of a person takes another for the login history.
    const write = method === undefined ? parts.write.single : parts.write;
    const own = callOf({ principalId: principal.id, orgId: principal.org_id }, call);
    return write(own, rpcs.issueToken, request, async (tx) => present(await open(tx, start, signer)));
  };
}

function refreshToken(parts: TokensParts): Grant {
  const refresh = sessionRefreshing(parts);
  return async (request, call) => {
    const shown = shownRefreshToken("refresh_token", request, parts.issuer);
    const { scope } = request;
    const answer = await parts.write(callOf({}, call), rpcs.issueToken, request, async (tx) => {
      const session = await refresh(tx, { token: shown.token, scope, client: call.client });
      return session === undefined ? NOTHING : presentTo(shown, session, parts.issuer);
    });
    // Only now: what the refusal has changed is to last.
    if (answer === NOTHING) {
      throw refused("invalid_grant");
    }
    return answer;
  };
}

function magicLink(parts: TokensParts): Grant {
  return async ({ token, scope }, { client, requestId, traceparent }) => {
    if (token === undefined) {
      throw refused("invalid_request", "token is missing");
    }
    const trace = { requestId, traceparent };
    const holder = client === undefined ? { ...trace, scope } : { ...trace, scope, client };
    return present(await consumeMagicLink(parts, token, holder));
  };
}

const NOTHING: IssueTokenResponse = { access_token: "", token_type: "", expires_in: 0, scope: "" };

function readCredentials({ client_id, client_secret, login_hint }: IssueTokenRequest): Credentials {
  if (client_id === undefined || client_secret === undefined) {
    const absent = Object.entries({ client_id, client_secret }).flatMap(([name, sent]) => (sent ? [] : name));
    // RFC 6749, 5.2: no client authentication included.
    throw refused("invalid_client", `${absent.join(" and ")} ${absent.length > 1 ? "are" : "is"} missing`);
  }
  return { clientId: client_id, clientSecret: client_secret, loginHint: login_hint };
}

/** RFC 6749, 3.2: what is sent without a value counts as left out. */
function withoutBlanks(request: IssueTokenRequest): IssueTokenRequest {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== ""));
}

function present({ accessToken, expiresInS, refreshToken, scope }: OpenedSession): IssueTokenResponse {
  const answer = { access_token: accessToken, token_type: "Bearer", expires_in: expiresInS, scope };
  return refreshToken === undefined ? answer : { ...answer, refresh_token: refreshToken };
}

/** Where the token came in a cookie the next one goes into a cookie, and never into the reach of scripts. */
function presentTo(shown: ShownToken, session: OpenedSession, publicUrl: string): IssueTokenResponse {
  const { refreshToken, refreshEndsAt } = session;
  if (!shown.isCookie || refreshToken === undefined || refreshEndsAt === undefined) {
    return present(session);
  }
  const set_cookie = refreshCookie(publicUrl, refreshToken, refreshEndsAt);
  return { ...present({ ...session, refreshToken: undefined }), set_cookie };
}

/** The call, now that it is known whose it is. Without its Idempotency-Key: each request for a token gets its own. */
function callOf(whose: Partial<Caller>, call: Call): Call {
  const { rpc, deadlineMs, signal, requestId, traceparent, reply } = call;
  return { rpc, caller: { ...anonymous, ...whose }, deadlineMs, signal, requestId, traceparent, reply };
}
