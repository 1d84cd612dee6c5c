import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { claimsOf, hire, type Person, present, refusal, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { openSession, refreshed } from "../testing/sessions.js";

let platform: Platform;
let person: Person;

beforeAll(async () => {
  platform = await openPlatform();
  person = await hire(platform, await rootOf(platform), "editor");
});

afterAll(() => platform.close());

const refusedAs = (name: string) => ({ kind: "refused", at: [`: ${name}`] });

describe("a cookie", () => {
  const cookie = (token: string) => `theme=dark; __Host-refresh=${token}`;
  const byCookie = (token: string, origin: string | undefined, named?: string) =>
    refreshed(platform, named, { refresh_cookie: cookie(token), origin });

  test("of our own page is exchanged for the next cookie, which no script gets to see", async () => {
    const session = await openSession(platform, person);
    const answer = await byCookie(session.refreshToken, platform.issuer);
    expect(answer).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 600,
      scope: "editor",
      set_cookie: expect.stringMatching(
        /^__Host-refresh=asst_rt_[\w-]{43}; Path=\/; Expires=[^;]+ GMT; HttpOnly; SameSite=Strict; Secure$/,
      ),
    });
    const [, next = ""] = /=(asst_rt_[\w-]+)/.exec(present(answer.set_cookie)) ?? [];
    expect((await byCookie(next, platform.issuer)).expires_in).toBe(600);
  });

  test.each([
    ["without an Origin", undefined],
    ["with an empty Origin", ""],
    ["from another site", "https://evil.example"],
    ["from a page without one", "null"],
    ["from our host on another port", "https://assistant.example:8443"],
    ["from our host without TLS", "http://assistant.example"],
  ])("%s is refused and not used up", async (_, origin) => {
    const session = await openSession(platform, person);
    expect(await refusal(byCookie(session.refreshToken, origin))).toEqual(refusedAs("invalid_request"));
    expect((await byCookie(session.refreshToken, platform.issuer)).expires_in).toBe(600);
  });

  test("does not count beside a token that the body names", async () => {
    const [one, other] = [await openSession(platform, person), await openSession(platform, person)];
    const answer = await byCookie(one.refreshToken, platform.issuer, other.refreshToken);
    expect(answer.refresh_token).toBeDefined();
    expect(answer.set_cookie).toBeUndefined();
    expect(claimsOf(answer.access_token)["sid"]).toBe(other.sessionId);
  });

  test("that comes twice with two values is none", async () => {
    const session = await openSession(platform, person);
    const twice = `${cookie(session.refreshToken)}; __Host-refresh=asst_rt_other`;
    const asking = refreshed(platform, undefined, { refresh_cookie: twice, origin: platform.issuer });
    expect(await refusal(asking)).toEqual(refusedAs("invalid_request"));
  });
});
