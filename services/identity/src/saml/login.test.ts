import { SamlServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Person, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { openProvider, type Provider } from "../testing/saml/provider.js";
import { answerTo, begin, connect, openMessage, openSite, type Site, signInBySaml } from "../testing/saml/site.js";

const LOGIN = "/api/core/saml/login";
const ACS = "/api/core/saml/acs";

let platform: Platform;
let site: Site;
let admin: Person;
let provider: Provider;

beforeAll(async () => {
  platform = await openPlatform();
  admin = await rootOf(platform);
  site = await openSite(platform);
  provider = await openProvider();
}, 60_000);

afterAll(async () => {
  await site?.close();
  await platform?.close();
});

let entities = 0;
const entity = () => {
  entities += 1;
  return `https://idp-${entities}.example/metadata`;
};

async function connected(given: Parameters<typeof connect>[2] = {}) {
  const own = { ...provider, entityId: entity() };
  return { own, connection: await connect(admin, own, { jit: true, ...given }) };
}

describe("signing in by SAML", () => {
  test("a user that nobody knew is made, gets a session, and is led on; the next time it is the same user", async () => {
    const { own, connection } = await connected();
    const browser = site.browser();
    const begun = await begin(browser, connection.slug, "/docs?x=1");
    const taken = await browser.post(ACS, answerTo(begun, own, { nameId: "first" }));
    expect([taken.status, taken.location]).toEqual([303, expect.stringMatching(/^\/api\/core\/saml\/complete\?code=/)]);
    expect(browser.cookies.has("__Host-refresh")).toBe(false);
    const shown = await browser.get(taken.location);
    expect([shown.status, shown.location]).toEqual([303, "/docs?x=1"]);
    expect(browser.cookies.get("__Host-refresh")).toMatch(/^asst_rt_/);
    expect((await signInBySaml(site.browser(), own, connection.slug, { nameId: "first" })).status).toBe(303);
    const rows = await platform.db.query<{ logins: number; users: number }>(
      "t_logins",
      `select count(*)::int as logins, count(distinct principal_id)::int as users
       from login_history join saml_identities on user_id = principal_id
       where method = 'saml' and connection_id = $1`,
      [connection.id],
    );
    expect(rows).toEqual([{ logins: 2, users: 1 }]);
  });

  test("the request is signed, names our addresses, and goes out by the binding of the connection", async () => {
    const { connection } = await connected();
    const { status, location } = await site.browser().get(`${LOGIN}?connection=${connection.slug}`);
    const sent = new URL(location).searchParams;
    const message = openMessage(sent.get("SAMLRequest") ?? "");
    expect(status).toBe(303);
    expect(message).toContain(`AssertionConsumerServiceURL="${platform.issuer}/api/core/saml/acs"`);
    expect(message).toContain(`<saml:Issuer>${platform.issuer}/saml/metadata</saml:Issuer>`);
    expect([...sent.keys()]).toEqual(["SAMLRequest", "RelayState", "SigAlg", "Signature"]);
    const posted = await connected({ sso_binding: "SAML_BINDING_POST" });
    const page = await site.browser().get(`${LOGIN}?connection=${posted.connection.slug}`);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('name="SAMLRequest"')]);
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self' https:");
  });

  test("without a connection a page asks for an address; an unknown one learns nothing but that its domain is", async () => {
    const browser = site.browser();
    const asked = await browser.get(LOGIN);
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('name="email"')]);
    const unknown = await browser.get(`${LOGIN}?email=nobody@unknown.example`);
    expect([unknown.status, unknown.location]).toEqual([200, ""]);
    expect(unknown.text).toContain("nobody@unknown.example");
  });

  test("an address leads to the connection of its domain, whether anybody has it or not", async () => {
    const { own, connection } = await connected();
    await admin.ask(rpcs.putOrgDomain, { org_id: admin.orgId, domain: "domain.example" });
    // The org has other connections in this file; all are off for this test but the one.
    await platform.db.query("t_off", "update saml_connections set enabled = (id = $1)", [connection.id]);
    const shown = await site.browser().get(`${LOGIN}?email=Nobody%40Domain.Example`);
    expect([shown.status, shown.location]).toEqual([
      303,
      expect.stringContaining("https://idp.example/sso?SAMLRequest="),
    ]);
    await platform.db.query("t_on", "update saml_connections set enabled = true", []);
    const several = await site.browser().get(`${LOGIN}?email=nobody@domain.example`);
    expect([several.status, several.text]).toEqual([200, expect.stringContaining(connection.slug)]);
    expect(own.entityId).toBe(connection.entity_id);
    await admin.ask(rpcs.deleteOrgDomain, { org_id: admin.orgId, domain: "domain.example" });
  });

  test("an unknown connection, one that is off, and a question asked twice get nowhere", async () => {
    const { connection } = await connected({ enabled: false });
    const browser = site.browser();
    expect((await browser.get(`${LOGIN}?connection=unknown`)).status).toBe(403);
    expect((await browser.get(`${LOGIN}?connection=${connection.slug}`)).status).toBe(403);
    expect((await browser.get(`${LOGIN}?connection=a&connection=b`)).status).toBe(400);
    expect(browser.cookies.size).toBe(0);
  });

  test("HEAD begins nothing and completes nothing", async () => {
    const { connection } = await connected();
    const answer = await fetch(`http://127.0.0.1:${site.port}${LOGIN}?connection=${connection.slug}`, {
      method: "HEAD",
    });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET"]);
  });
});

describe("the browser that began", () => {
  test("another browser gets no session, and the code is used up for the first one too", async () => {
    const { own, connection } = await connected();
    const browser = site.browser();
    const other = site.browser();
    await begin(other, connection.slug);
    const begun = await begin(browser, connection.slug);
    const taken = await browser.post(ACS, answerTo(begun, own));
    for (const thief of [other, site.browser(), browser]) {
      expect((await thief.get(taken.location)).status).toBe(403);
      expect(thief.cookies.has("__Host-refresh")).toBe(false);
    }
  });

  test("a code works once, however many ask at once", async () => {
    const { own, connection } = await connected();
    const browser = site.browser();
    const taken = await browser.post(ACS, answerTo(await begin(browser, connection.slug), own));
    const all = await Promise.all(Array.from({ length: 8 }, () => browser.get(taken.location)));
    expect(all.map(({ status }) => status).sort((one, other) => one - other)).toEqual([
      303, 403, 403, 403, 403, 403, 403, 403,
    ]);
  });

  test("a code is good for a minute", async () => {
    const { own, connection } = await connected();
    const browser = site.browser();
    const taken = await browser.post(ACS, answerTo(await begin(browser, connection.slug), own));
    await platform.db.query("t_age", "update login_codes set expires_at = now() - interval '1 second'", []);
    expect((await browser.get(taken.location)).status).toBe(403);
  });

  test("a second tab does not undo the first", async () => {
    const { own, connection } = await connected();
    const browser = site.browser();
    const first = await begin(browser, connection.slug);
    await begin(browser, connection.slug);
    const taken = await browser.post(ACS, answerTo(first, own));
    expect((await browser.get(taken.location)).status).toBe(303);
  });

  test("the cookie is out of reach of scripts, of other hosts, and gone after ten minutes", async () => {
    const { connection } = await connected();
    const { headers } = await site.browser().get(`${LOGIN}?connection=${connection.slug}`);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-saml=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/),
    ]);
    expect(headers.get("cache-control")).toBe("no-store");
  });
});

describe("the session", () => {
  test("ends when the provider says, at the latest", async () => {
    const { own, connection } = await connected();
    const sessionEndsAt = new Date(Date.now() + 3_600_000);
    const shown = await signInBySaml(site.browser(), own, connection.slug, { nameId: "ends", sessionEndsAt });
    expect(shown.status).toBe(303);
    const rows = await platform.db.query<{ amr: string[]; name_id: string; ends_at: Date }>(
      "t_session",
      "select amr, name_id, ends_at from sessions where connection_id = $1",
      [connection.id],
    );
    expect(rows).toEqual([{ amr: ["saml"], name_id: "ends", ends_at: expect.any(Date) }]);
    expect(rows[0]?.ends_at.getTime()).toBeLessThanOrEqual(sessionEndsAt.getTime() + connection.clock_skew_ms);
  });

  test("that would have ended already is none, and its code is used up", async () => {
    const { own, connection } = await connected();
    const browser = site.browser();
    // By a clock that is behind ours it has not ended yet.
    const sessionEndsAt = new Date(Date.now() - 30_000);
    const taken = await browser.post(ACS, answerTo(await begin(browser, connection.slug), own, { sessionEndsAt }));
    expect(taken.status).toBe(303);
    expect((await browser.get(taken.location)).status).toBe(403);
    expect(browser.cookies.has("__Host-refresh")).toBe(false);
    const waiting = "select from login_codes where connection_id = $1";
    expect(await platform.db.query("t_waiting", waiting, [connection.id])).toEqual([]);
  });

  test.each([
    ["the connection has changed", "update saml_connections set config_version = config_version + 1 where id = $1"],
    ["the connection is off", "update saml_connections set enabled = false where id = $1"],
    ["the connection is gone", "delete from saml_connections where id = $1"],
    [
      "the user is disabled",
      "update users set status = 'disabled' where id in (select user_id from saml_identities where connection_id = $1)",
    ],
    [
      "the user manages the platform",
      "update users set platform_admin = true where id in (select user_id from saml_identities where connection_id = $1)",
    ],
    [
      "the user has left the org",
      "delete from memberships where user_id in (select user_id from saml_identities where connection_id = $1)",
    ],
  ])("is none if, since the provider answered, %s", async (name, change) => {
    const { own, connection } = await connected();
    const browser = site.browser();
    const taken = await browser.post(ACS, answerTo(await begin(browser, connection.slug), own));
    await platform.db.query(`t_since ${name}`, change, [connection.id]);
    expect((await browser.get(taken.location)).status).toBe(403);
    expect(browser.cookies.has("__Host-refresh")).toBe(false);
  });

  test("of a connection that is turned off has ended", async () => {
    const { own, connection } = await connected();
    await signInBySaml(site.browser(), own, connection.slug);
    const { entity_id, sso_url, certificates, slug } = connection;
    const settings = { entity_id, sso_url, certificates, slug, group_mapping: [], enabled: false };
    await admin.ask(rpcs.updateSamlConnection, { connection_id: connection.id, ...settings });
    const open = "select from sessions where connection_id = $1 and ended_at is null";
    expect(await platform.db.query("t_open", open, [connection.id])).toEqual([]);
  });
});
