import { SamlServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openOrg, type Person, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { openProvider, type Provider } from "../testing/saml/provider.js";
import { answerTo, begin, connect, openSite, type Site } from "../testing/saml/site.js";

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
  await admin.ask(rpcs.putOrgDomain, { org_id: admin.orgId, domain: "ours.example" });
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

describe("an answer", () => {
  test("is taken once, however many bring it at once", async () => {
    const { own, connection } = await connected();
    const browser = site.browser();
    const answer = answerTo(await begin(browser, connection.slug), own);
    const bring = async (): Promise<number> => {
      const { status } = await browser.post(ACS, answer);
      // Where all threads are busy, one is told to come again.
      return status === 503 ? bring() : status;
    };
    const statuses = await Promise.all(Array.from({ length: 8 }, bring));
    expect(statuses.sort((one, other) => one - other)).toEqual([303, 403, 403, 403, 403, 403, 403, 403]);
  });

  test("to a request of another sign-in, or with another handle, is refused", async () => {
    const { own, connection } = await connected();
    const browser = site.browser();
    const [one, other] = [await begin(browser, connection.slug), await begin(browser, connection.slug)];
    const crossed = answerTo({ requestId: one.requestId, relayState: other.relayState }, own);
    expect((await browser.post(ACS, crossed)).status).toBe(403);
    const bare = { SAMLResponse: answerTo(one, own).SAMLResponse ?? "" };
    expect((await browser.post(ACS, bare)).status).toBe(403);
    // What was refused has used up nothing: nobody can burn another's sign-in.
    expect((await browser.post(ACS, answerTo(one, own))).status).toBe(303);
  });

  test("after ten minutes, or once the connection has changed or is off, is refused", async () => {
    const { own, connection } = await connected();
    const browser = site.browser();
    const late = await begin(browser, connection.slug);
    await platform.db.query("t_late", "update saml_requests set expires_at = now() where id = $1", [late.requestId]);
    expect((await browser.post(ACS, answerTo(late, own))).status).toBe(403);
    const changed = await begin(browser, connection.slug);
    await platform.db.query(
      "t_change",
      "update saml_connections set config_version = config_version + 1 where id = $1",
      [connection.id],
    );
    expect((await browser.post(ACS, answerTo(changed, own))).status).toBe(403);
    const off = await begin(browser, connection.slug);
    await platform.db.query("t_off_one", "update saml_connections set enabled = false where id = $1", [connection.id]);
    expect((await browser.post(ACS, answerTo(off, own))).status).toBe(403);
  });

  test("of one org's provider opens nothing by another org's connection", async () => {
    const { connection } = await connected();
    const foreign = { ...provider, key: provider.foreign, entityId: connection.entity_id };
    const browser = site.browser();
    expect((await browser.post(ACS, answerTo(await begin(browser, connection.slug), foreign))).status).toBe(403);
  });

  test("to the request of one connection opens nothing by another provider of the same org, nor by a shared one", async () => {
    const [one, other] = [await connected(), await connected()];
    const browser = site.browser();
    const byOther = answerTo(await begin(browser, one.connection.slug), other.own);
    expect((await browser.post(ACS, byOther)).status).toBe(403);
    const shared = await connect(await openOrg(platform), one.own, { jit: true });
    const [here, there] = [await begin(browser, one.connection.slug), await begin(browser, shared.slug)];
    // Signed by the provider for one org, handed in for the other.
    const crossed = { ...answerTo(here, one.own), RelayState: there.relayState };
    expect((await browser.post(ACS, crossed)).status).toBe(403);
    expect((await browser.post(ACS, answerTo(there, one.own))).status).toBe(303);
  });

  test("that is refused tells its sender nothing, and the audit why", async () => {
    const { own, connection } = await connected();
    const browser = site.browser();
    const begun = await begin(browser, connection.slug);
    const answer = answerTo(begun, { ...own, key: provider.foreign });
    const told = await browser.post(ACS, answer, { accept: "application/json" });
    expect([told.status, JSON.parse(told.text)]).toEqual([
      403,
      { detail: [{ type: "saml_login_failed", loc: [], msg: "Login failed", input: null, ctx: {} }] },
    ]);
    const events = await platform.db.query<{ data: unknown }>(
      "t_events",
      "select data from outbox where type = 'identity.saml_login.refused' and subject = $1",
      [connection.id],
    );
    expect(events).toEqual([{ data: { connection_id: connection.id, reason: "signature" } }]);
  });

  test("in another form than a form, without its field, or too large, is no answer", async () => {
    const browser = site.browser();
    expect((await browser.post(ACS, "{}", { "content-type": "application/json" })).status).toBe(415);
    expect((await browser.post(ACS, { RelayState: "x" })).status).toBe(400);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect((await browser.post(ACS, "SAMLResponse=a&SAMLResponse=b", form)).status).toBe(400);
    expect((await browser.post(ACS, { SAMLResponse: "A".repeat(400_000) })).status).toBe(413);
    expect((await browser.post(ACS, { SAMLResponse: "A".repeat(300_000) })).status).toBe(403);
  });
});

describe("an answer that nobody asked for", () => {
  test("is refused, unless the connection allows it", async () => {
    const { own } = await connected();
    const begun = { requestId: "", relayState: "/elsewhere" };
    const closed = await site.browser().post(ACS, answerTo(begun, own, { inResponseTo: undefined }));
    expect(closed.status).toBe(403);
    const open = await connected({ allow_idp_initiated: true });
    const browser = site.browser();
    const taken = await browser.post(ACS, answerTo(begun, open.own, { inResponseTo: undefined }));
    const shown = await browser.get(taken.location);
    expect([shown.status, shown.location]).toEqual([303, "/"]);
  });

  test("opens a session in the browser that brought it, and in no other", async () => {
    const { own } = await connected({ allow_idp_initiated: true });
    const answer = answerTo({ requestId: "", relayState: "" }, own, { inResponseTo: undefined });
    const taken = await site.browser().post(ACS, answer);
    expect((await site.browser().get(taken.location)).status).toBe(403);
    expect((await site.browser().post(ACS, answer)).status).toBe(403);
  });
});

test("while the database is away nobody is signed in", async () => {
  const { own, connection } = await connected();
  const browser = site.browser();
  const answer = answerTo(await begin(browser, connection.slug), own);
  await platform.db.query("t_rename", "alter table saml_consumed rename to saml_consumed_away", []);
  const broken = await browser.post(ACS, answer);
  await platform.db.query("t_rename_back", "alter table saml_consumed_away rename to saml_consumed", []);
  expect(broken.status).toBe(500);
  expect(browser.cookies.has("__Host-refresh")).toBe(false);
  // Nothing of it was kept, so it can be brought again.
  expect((await browser.post(ACS, answer)).status).toBe(303);
});
