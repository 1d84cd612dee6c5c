import { SamlServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openOrg, type Person, present } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { type SamlpProvider, startSamlpProvider } from "../testing/saml/samlp-provider.js";
import { type Browser, formOf, leadsTo, openSite, type Shown, type Site } from "../testing/saml/site.js";

const SLUG = "samlp";

let platform: Platform;
let site: Site;
let admin: Person;
let provider: SamlpProvider;

beforeAll(async () => {
  platform = await openPlatform();
  admin = await openOrg(platform);
  site = await openSite(platform);
  const ourCertificate = (await platform.saml.tools.spKeys.signer()).certificate;
  provider = await startSamlpProvider({
    ourCertificate,
    acsUrl: `${platform.issuer}/api/core/saml/acs`,
    sloUrl: `${platform.issuer}/api/core/saml/slo`,
    user: { id: "ada-1", email: "ada@samlp.example", name: "Ada Lovelace" },
    sessionIndex: "session-1",
  });
}, 60_000);

afterAll(async () => {
  await provider?.close();
  await site?.close();
  await platform?.close();
});

/** Signs in, at the provider and here. */
async function signIn(browser: Browser): Promise<Shown> {
  const sent = await browser.get(`/api/core/saml/login?connection=${SLUG}`);
  const page = await (await fetch(sent.location)).text();
  const { action, fields } = formOf(page);
  expect(action).toBe(`${platform.issuer}/api/core/saml/acs`);
  const taken = await browser.post(action, fields);
  expect([taken.status, taken.location]).toEqual([303, expect.stringContaining("/complete?code=")]);
  return browser.get(taken.location);
}

const openSessions = () =>
  platform.db.query("t_open", "select from sessions where name_id = 'ada-1' and ended_at is null", []);

describe("with the identity provider of the package samlp", () => {
  test("a connection is made from its metadata, fetched from where it publishes them", async () => {
    const request = { slug: SLUG, metadata_url: provider.metadataUrl, jit: true, certificates: [] };
    const group_mapping = [{ value: "writers", role: "ROLE_EDITOR" as const }];
    const made = await admin.ask(rpcs.createSamlConnection, { ...request, group_mapping });
    expect(made.saml_connection).toMatchObject({
      entity_id: provider.metadataUrl,
      sso_url: `${provider.origin}/sso`,
      sso_binding: "SAML_BINDING_REDIRECT",
      slo_url: `${provider.origin}/slo`,
      metadata_url: provider.metadataUrl,
      metadata_read_at: expect.any(Date),
    });
    const connection_id = present(made.saml_connection).id;
    const { ok, checks } = await admin.ask(rpcs.testSamlConnection, { connection_id });
    expect([ok, checks.map(({ name, status }) => `${name} ${status}`)]).toEqual([
      true,
      [
        "enabled SAML_CHECK_STATUS_OK",
        "certificate SAML_CHECK_STATUS_OK",
        "sso_url SAML_CHECK_STATUS_OK",
        "metadata SAML_CHECK_STATUS_OK",
        "domains SAML_CHECK_STATUS_OK",
      ],
    ]);
  });

  test("it believes our request, and a user signs in with the role of the asserted group", async () => {
    const shown = await signIn(site.browser());
    expect([shown.status, shown.location]).toEqual([303, "/"]);
    const rows = await platform.db.query(
      "t_ada",
      "select name, role from users join memberships on user_id = id where email = $1",
      ["ada@samlp.example"],
    );
    expect(rows).toEqual([{ name: "Ada Lovelace", role: "editor" }]);
  });

  test("a user signs in by an assertion that is encrypted for us", async () => {
    provider.encryptFor((await platform.saml.tools.spKeys.signer()).certificate);
    expect((await signIn(site.browser())).status).toBe(303);
  });

  test("our sign-out ends the session, tells the provider, and its answer is believed", async () => {
    const browser = site.browser();
    await signIn(browser);
    const before = (await openSessions()).length;
    const sent = await browser.post("/api/core/saml/slo", {}, { origin: platform.issuer });
    expect(browser.cookies.has("__Host-refresh")).toBe(false);
    // A form of ours may not be redirected to another site, so a page leads there.
    expect([sent.status, leadsTo(sent)]).toEqual([200, expect.stringContaining(`${provider.origin}/slo?SAMLRequest=`)]);
    expect((await openSessions()).length).toBe(before - 1);
    const answer = await fetch(leadsTo(sent), { redirect: "manual" });
    const back = answer.headers.get("location") ?? "";
    expect([answer.status, back]).toEqual([
      302,
      expect.stringContaining(`${platform.issuer}/api/core/saml/slo?SAMLResponse=`),
    ]);
    expect((await browser.get(back)).status).toBe(200);
    // An answer is taken once.
    expect((await browser.get(back)).status).toBe(403);
  });

  test("its sign-out ends the user's sessions here, and our answer is believed", async () => {
    await signIn(site.browser());
    expect(await openSessions()).not.toHaveLength(0);
    const begun = await fetch(`${provider.origin}/slo`, { redirect: "manual" });
    const there = begun.headers.get("location") ?? "";
    const back = await site.browser().get(there);
    expect([back.status, back.location]).toEqual([
      303,
      expect.stringContaining(`${provider.origin}/slo?SAMLResponse=`),
    ]);
    expect(await openSessions()).toHaveLength(0);
    expect((await fetch(back.location)).status).toBe(200);
    // The same message again is no second sign-out.
    expect((await site.browser().get(there)).status).toBe(403);
  });
});
