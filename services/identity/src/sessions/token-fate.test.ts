import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { SessionsServiceService as sessions } from "@assistant/proto/assistant/identity/v1/sessions_service.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { installProgram, tokenOf } from "../testing/clients.js";
import { claimsOf, hire, openOrg, type Person, refusal, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { openSession, refreshed, successorOf } from "../testing/sessions.js";

let platform: Platform;
let root: Person;
let person: Person;
let stranger: Person;

beforeAll(async () => {
  platform = await openPlatform();
  root = await rootOf(platform);
  stranger = await openOrg(platform);
});

beforeEach(async () => {
  person = await hire(platform, root);
});

afterAll(() => platform.close());

const INVALID = { kind: "refused", at: [": invalid_request"] };
const INACTIVE = { active: false };
const introspect = (token: string | undefined, by: Person = person) => by.ask(sessions.introspectToken, { token });
const revoke = (request: object) => platform.bearer("").ask(sessions.revokeToken, request);

describe("introspection", () => {
  test("of an access token says what it says", async () => {
    const { access_token } = await tokenOf(platform, await installProgram(root));
    const { exp, iat, sub, jti, sid } = claimsOf(access_token);
    expect(await introspect(access_token)).toEqual({
      active: true,
      scope: "member",
      client_id: sub,
      token_type: "Bearer",
      exp,
      iat,
      sub,
      aud: platform.audience,
      iss: platform.issuer,
      jti,
      org: root.orgId,
      sid,
    });
  });

  test("of a refresh token says when it ends, until it is used", async () => {
    const session = await openSession(platform, person);
    expect(await introspect(session.refreshToken)).toEqual({
      active: true,
      scope: "member",
      exp: Math.floor((session.refreshEndsAt?.getTime() ?? 0) / 1_000),
      sub: person.id,
      iss: platform.issuer,
      org: root.orgId,
      sid: session.sessionId,
    });
    const successor = await successorOf(platform, session.refreshToken);
    expect(await introspect(session.refreshToken)).toEqual(INACTIVE);
    expect((await introspect(successor)).active).toBe(true);
  });

  test("of another org's token says the same as of one that nobody made", async () => {
    const session = await openSession(platform, stranger);
    for (const token of [session.accessToken, session.refreshToken, "nonsense", `asst_rt_${"A".repeat(43)}`]) {
      expect(await introspect(token)).toEqual(INACTIVE);
    }
    expect((await introspect(session.accessToken, stranger)).active).toBe(true);
  });

  test("knows at once that a session has ended, a principal is disabled, or may do something else", async () => {
    const ended = await openSession(platform, person);
    await person.ask(sessions.deleteUserSession, { session_id: ended.sessionId });
    const changed = await openSession(platform, person);
    await root.ask(rpcs.updateOrgMember, { org_id: root.orgId, user_id: person.id, role: "ROLE_EDITOR" });
    expect(await introspect(ended.accessToken, root)).toEqual(INACTIVE);
    expect(await introspect(ended.refreshToken, root)).toEqual(INACTIVE);
    expect(await introspect(changed.accessToken, root)).toEqual(INACTIVE);
    expect((await introspect(changed.refreshToken, root)).scope).toBe("editor");
    await root.ask(rpcs.updateUser, { user_id: person.id, status: "STATUS_DISABLED" });
    expect(await introspect(changed.refreshToken, root)).toEqual(INACTIVE);
  });

  test("needs a bearer, 401, and a token to look at", async () => {
    const asking = platform.bearer("").ask(sessions.introspectToken, { token: person.token });
    expect(await refusal(asking)).toMatchObject({ kind: "unauthenticated" });
    expect(await refusal(introspect(undefined))).toEqual(INVALID);
    expect(await refusal(introspect(""))).toEqual(INVALID);
  });
});

describe("revoking", () => {
  test("ends the session of a refresh token, were it used already, and of an access token", async () => {
    for (const pick of ["refreshToken", "accessToken"] as const) {
      const session = await openSession(platform, person);
      const successor = await successorOf(platform, session.refreshToken);
      expect(await revoke({ token: session[pick], token_type_hint: "nonsense" })).toEqual({});
      expect(await refusal(refreshed(platform, successor))).toMatchObject({ kind: "refused" });
      const events = await platform.db.query(
        "test_revoking",
        "select actor_id from outbox where subject = $1 and type = 'identity.session.ended'",
        [session.sessionId],
      );
      expect(events).toEqual([{ actor_id: person.id }]);
    }
  });

  test("says the same of a token that nobody made, twice of one, and of one whose time is over", async () => {
    const { accessToken, refreshToken } = await openSession(platform, person);
    for (const token of ["nonsense", `asst_rt_${"A".repeat(43)}`, refreshToken, refreshToken, accessToken]) {
      expect(await revoke({ token })).toEqual({});
    }
  });

  test("does not take a token that somebody else has signed", async () => {
    const session = await openSession(platform, person);
    const [header, payload] = session.accessToken.split(".");
    expect(await revoke({ token: `${header}.${payload}.${"A".repeat(86)}` })).toEqual({});
    expect((await refreshed(platform, session.refreshToken)).expires_in).toBe(600);
  });

  test("by cookie takes the cookie away, for our own page only", async () => {
    const session = await openSession(platform, person);
    const refresh_cookie = `__Host-refresh=${session.refreshToken}`;
    for (const origin of [undefined, "https://evil.example"]) {
      expect(await refusal(revoke({ refresh_cookie, origin }))).toEqual(INVALID);
    }
    const { set_cookie } = await revoke({ refresh_cookie, origin: platform.issuer });
    expect(set_cookie).toMatch(/^__Host-refresh=; Path=\/; Expires=Thu, 01 Jan 1970 /);
    expect(await refusal(refreshed(platform, session.refreshToken))).toMatchObject({ kind: "refused" });
  });

  test("needs a token", async () => {
    expect(await refusal(revoke({}))).toEqual(INVALID);
    expect(await refusal(revoke({ token: "" }))).toEqual(INVALID);
  });
});
