import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openOrg, type Person } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { openProvider, type Provider } from "../testing/saml/provider.js";
import { connect, leadsTo, openMessage, openSite, type Site, signInBySaml } from "../testing/saml/site.js";
import { logoutRequest, logoutResponse, newMessageId, postFields, redirectUrl } from "./protocol/messages.js";

const SLO = "/api/core/saml/slo";
const PROVIDER_SLO = "https://idp.example/slo";

let platform: Platform;
let site: Site;
let admin: Person;
let base: Provider;
let entities = 0;

beforeAll(async () => {
  platform = await openPlatform();
  admin = await openOrg(platform);
  site = await openSite(platform);
  base = await openProvider();
}, 60_000);

afterAll(async () => {
  await site?.close();
  await platform?.close();
});

async function connected(given: Parameters<typeof connect>[2] = {}, by = admin, entityId?: string) {
  entities += 1;
  const provider = { ...base, entityId: entityId ?? `https://idp-${entities}.example` };
  const connection = await connect(by, provider, { jit: true, slo_url: PROVIDER_SLO, ...given });
  return { provider, connection };
}

async function openSessions(connectionId: string): Promise<string[]> {
  const rows = await platform.db.query<{ name_id: string }>(
    "t_open",
    "select name_id from sessions where connection_id = $1 and ended_at is null order by name_id",
    [connectionId],
  );
  return rows.map(({ name_id }) => name_id);
}

/** A message of the provider that asks for the end of sessions. */
function asking(provider: Provider, nameId: string, sessionIndex?: string) {
  const destination = `${platform.issuer}${SLO}`;
  const head = { id: newMessageId(), issuer: provider.entityId, destination, nowMs: Date.now() };
  return logoutRequest({ ...head, nameId, nameIdFormat: undefined, sessionIndex });
}

describe("signing out here", () => {
  const own = () => ({ origin: platform.issuer });

  test("ends the session, takes the cookie away, and tells the provider in a signed message", async () => {
    const { provider, connection } = await connected();
    const browser = site.browser();
    await signInBySaml(browser, provider, connection.slug, { nameId: "out" });
    expect(await openSessions(connection.id)).toEqual(["out"]);
    const shown = await browser.post(SLO, {}, own());
    expect([await openSessions(connection.id), browser.cookies.has("__Host-refresh")]).toEqual([[], false]);
    const sent = new URL(leadsTo(shown));
    expect(`${sent.origin}${sent.pathname}`).toBe(PROVIDER_SLO);
    expect([...sent.searchParams.keys()]).toEqual(["SAMLRequest", "RelayState", "SigAlg", "Signature"]);
    const message = openMessage(sent.searchParams.get("SAMLRequest") ?? "");
    expect(message).toContain(">out</saml:NameID>");
    expect(message).toMatch(/<samlp:SessionIndex>_session\d+<\/samlp:SessionIndex>/);
  });

  test("works by a form at the provider too, and without any provider", async () => {
    const byForm = await connected({ slo_binding: "SAML_BINDING_POST" });
    const browser = site.browser();
    await signInBySaml(browser, byForm.provider, byForm.connection.slug);
    const page = await browser.post(SLO, {}, own());
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('name="SAMLRequest"')]);
    const alone = await connected({ slo_url: undefined });
    await signInBySaml(browser, alone.provider, alone.connection.slug);
    const done = await browser.post(SLO, {}, own());
    expect([done.status, leadsTo(done), await openSessions(alone.connection.id)]).toEqual([200, "", []]);
  });

  test("without a session says that nobody is signed in", async () => {
    expect((await site.browser().post(SLO, {}, own())).status).toBe(200);
  });

  test.each([
    ["another site", { origin: "https://evil.example" }],
    ["nowhere known", {}],
    ["a page without an origin on another site", { origin: "null", "sec-fetch-site": "cross-site" }],
  ])("is not done for %s", async (_, headers) => {
    const { provider, connection } = await connected();
    const browser = site.browser();
    const nameId = `stays-${entities}`;
    await signInBySaml(browser, provider, connection.slug, { nameId });
    expect((await browser.post(SLO, {}, headers)).status).toBe(403);
    expect(await openSessions(connection.id)).toEqual([nameId]);
    expect(browser.cookies.has("__Host-refresh")).toBe(true);
  });

  test("takes the provider's answer once, with the handle that went with the question", async () => {
    const { provider, connection } = await connected();
    const browser = site.browser();
    await signInBySaml(browser, provider, connection.slug);
    const sent = new URL(leadsTo(await browser.post(SLO, {}, own()))).searchParams;
    const inResponseTo = / ID="([^"]+)"/.exec(openMessage(sent.get("SAMLRequest") ?? ""))?.[1] ?? "";
    const destination = `${platform.issuer}${SLO}`;
    const head = { issuer: provider.entityId, destination, nowMs: Date.now() };
    const answer = (key = provider.key, relayState = sent.get("RelayState") ?? "") =>
      redirectUrl(logoutResponse({ id: newMessageId(), ...head, inResponseTo }), relayState, key);
    expect((await browser.get(answer(provider.foreign))).status).toBe(403);
    expect((await browser.get(answer(provider.key, "another"))).status).toBe(403);
    expect((await browser.get(answer())).status).toBe(200);
    expect((await browser.get(answer())).status).toBe(403);
  });
});

describe("a provider that signs out", () => {
  test("ends all sessions of the name, and no other's; our answer is signed and goes back to it", async () => {
    const { provider, connection } = await connected();
    for (const nameId of ["a", "a", "b"]) await signInBySaml(site.browser(), provider, connection.slug, { nameId });
    expect(await openSessions(connection.id)).toEqual(["a", "a", "b"]);
    const message = asking(provider, "a");
    const shown = await site.browser().get(redirectUrl(message, "handle", provider.key));
    expect(await openSessions(connection.id)).toEqual(["b"]);
    const sent = new URL(shown.location);
    expect([shown.status, `${sent.origin}${sent.pathname}`]).toEqual([303, PROVIDER_SLO]);
    expect([...sent.searchParams.keys()]).toEqual(["SAMLResponse", "RelayState", "SigAlg", "Signature"]);
    expect(sent.searchParams.get("RelayState")).toBe("handle");
    const id = / ID="([^"]+)"/.exec(message.text)?.[1];
    expect(openMessage(sent.searchParams.get("SAMLResponse") ?? "")).toContain(`InResponseTo="${id}"`);
  });

  test("of one session by its index ends that one", async () => {
    const { provider, connection } = await connected();
    for (const nameId of ["i", "i"]) await signInBySaml(site.browser(), provider, connection.slug, { nameId });
    const rows = await platform.db.query<{ session_index: string }>(
      "t_index",
      "select session_index from sessions where connection_id = $1 order by created_at limit 1",
      [connection.id],
    );
    await site.browser().get(redirectUrl(asking(provider, "i", rows[0]?.session_index), undefined, provider.key));
    expect(await openSessions(connection.id)).toEqual(["i"]);
  });

  test("is believed by a form too, and answered by one where it wants that", async () => {
    const { provider, connection } = await connected({ slo_binding: "SAML_BINDING_POST" });
    await signInBySaml(site.browser(), provider, connection.slug, { nameId: "p" });
    const fields = postFields(asking(provider, "p"), "handle", provider.key);
    const shown = await site.browser().post(SLO, fields);
    expect([shown.status, shown.text]).toEqual([200, expect.stringContaining('name="SAMLResponse"')]);
    expect(await openSessions(connection.id)).toEqual([]);
    expect((await site.browser().post(SLO, { ...fields, RelayState: "x".repeat(1_025) })).status).toBe(400);
  });

  test("is believed once", async () => {
    const { provider, connection } = await connected();
    const url = redirectUrl(asking(provider, "r"), undefined, provider.key);
    expect((await site.browser().get(url)).status).toBe(303);
    await signInBySaml(site.browser(), provider, connection.slug, { nameId: "r" });
    expect((await site.browser().get(url)).status).toBe(403);
    expect(await openSessions(connection.id)).toEqual(["r"]);
  });

  test("by another key, unsigned, or unknown ends nothing", async () => {
    const { provider, connection } = await connected();
    await signInBySaml(site.browser(), provider, connection.slug, { nameId: "x" });
    const foreign = redirectUrl(asking(provider, "x"), undefined, provider.foreign);
    const unsigned = redirectUrl(asking(provider, "x"), undefined, provider.key).replace(/&SigAlg=.*/, "");
    const unknown = redirectUrl(
      asking({ ...provider, entityId: "https://nobody.example" }, "x"),
      undefined,
      provider.key,
    );
    for (const url of [foreign, unsigned, unknown]) {
      expect((await site.browser().get(url)).status).toBe(403);
    }
    expect(await openSessions(connection.id)).toEqual(["x"]);
    expect((await site.browser().get(SLO)).status).toBe(400);
  });

  test("of which another org says that it is its own ends nothing but that org's sessions", async () => {
    const { provider, connection } = await connected();
    const other = await openOrg(platform);
    const evil = { ...base, key: base.foreign, entityId: provider.entityId };
    const theirs = await connect(other, evil, { jit: true });
    await signInBySaml(site.browser(), provider, connection.slug, { nameId: "n" });
    await signInBySaml(site.browser(), evil, theirs.slug, { nameId: "n" });
    expect((await site.browser().get(redirectUrl(asking(evil, "n"), undefined, evil.key))).status).toBe(200);
    expect([await openSessions(connection.id), await openSessions(theirs.id)]).toEqual([["n"], []]);
  });
});
