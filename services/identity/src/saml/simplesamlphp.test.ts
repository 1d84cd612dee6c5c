import { SamlServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openOrg, type Person, present } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { hasSimpleSamlPhp, type SimpleSamlPhp, startSimpleSamlPhp, USER } from "../testing/saml/simplesamlphp.js";
import {
  type Browser,
  browserAt,
  follow,
  formOf,
  leadsTo,
  openSite,
  type Shown,
  type Site,
} from "../testing/saml/site.js";

const SLUG = "php";

let platform: Platform;
let site: Site;
let admin: Person;
let provider: SimpleSamlPhp;
let connectionId: string;

/** A browser with the cookies of both sides. */
interface Both {
  here: Browser;
  there: Browser;
}

const both = (): Both => ({ here: site.browser(), there: browserAt(provider.origin) });

/** Signs in, at the provider and here; answers how the provider's answer was taken. */
async function answered({ here, there }: Both): Promise<Shown> {
  const sent = await here.get(`/api/core/saml/login?connection=${SLUG}`);
  const asked = await follow(there, await there.get(sent.location));
  const AuthState = /name="AuthState" value="([^"]+)"/.exec(asked.text)?.[1] ?? "";
  const fields = { AuthState: AuthState.replaceAll("&amp;", "&"), ...USER };
  const page = await follow(there, await there.post("/module.php/core/loginuserpass.php", fields));
  const { action, fields: answer } = formOf(page.text);
  expect(action).toBe(`${platform.issuer}/api/core/saml/acs`);
  return here.post(action, answer);
}

async function signIn(browsers: Both): Promise<Shown> {
  const taken = await answered(browsers);
  expect([taken.status, taken.location]).toEqual([303, expect.stringContaining("/complete?code=")]);
  return browsers.here.get(taken.location);
}

async function set(given: { want_response_signed: boolean; allow_cbc: boolean }) {
  const { saml_connection } = await admin.ask(rpcs.getSamlConnection, { connection_id: connectionId });
  const { id: connection_id, ...settings } = present(saml_connection);
  await admin.ask(rpcs.updateSamlConnection, { connection_id, ...settings, ...given });
}

const openSessions = () =>
  platform.db.query("t_open", "select from sessions where name_id = 'ada-1' and ended_at is null", []);

const suite = hasSimpleSamlPhp ? describe : describe.skip;

suite(hasSimpleSamlPhp ? "with SimpleSAMLphp" : "with SimpleSAMLphp (skipped: it is not installed here)", () => {
  beforeAll(async () => {
    platform = await openPlatform();
    admin = await openOrg(platform);
    site = await openSite(platform);
    const { metadata } = await admin.ask(rpcs.getSamlMetadata, {});
    provider = await startSimpleSamlPhp(Buffer.from(present(metadata).content).toString());
  }, 90_000);

  afterAll(async () => {
    await provider?.close();
    await site?.close();
    await platform?.close();
  });

  test("each side reads the other's metadata", async () => {
    const metadata_xml = await (await fetch(provider.metadataUrl)).text();
    const request = { slug: SLUG, metadata_xml, jit: true, certificates: [], group_mapping: [] };
    const made = present((await admin.ask(rpcs.createSamlConnection, request)).saml_connection);
    connectionId = made.id;
    expect(made).toMatchObject({
      entity_id: provider.metadataUrl,
      sso_url: `${provider.origin}${provider.ssoPath}`,
      slo_url: `${provider.origin}/saml2/idp/SingleLogoutService.php`,
    });
  });

  test("it believes our request, and its user signs in", async () => {
    const shown = await signIn(both());
    expect([shown.status, shown.location]).toEqual([303, "/"]);
    const rows = await platform.db.query("t_ada", "select name from users where email = 'ada@php.example'", []);
    expect(rows).toEqual([{ name: "Ada Lovelace" }]);
  });

  test("its user signs in by what it encrypts for us with AES-CBC, once an admin allows it, and not before", async () => {
    await provider.set({ encrypted: true });
    expect((await answered(both())).status).toBe(403);
    await set({ want_response_signed: true, allow_cbc: true });
    expect((await signIn(both())).status).toBe(303);
    await provider.set({ encrypted: false });
  });

  test("our sign-out ends the session here and there, and its answer is believed", async () => {
    const browsers = both();
    await signIn(browsers);
    const before = (await openSessions()).length;
    const sent = await browsers.here.post("/api/core/saml/slo", {}, { origin: platform.issuer });
    expect((await openSessions()).length).toBe(before - 1);
    const back = await follow(browsers.there, await browsers.there.get(leadsTo(sent)));
    expect(back.location).toContain(`${platform.issuer}/api/core/saml/slo?SAMLResponse=`);
    expect((await browsers.here.get(back.location)).status).toBe(200);
  });

  test("its sign-out ends the user's session here, and our answer is believed", async () => {
    await platform.db.query("t_end", "update sessions set ended_at = now()", []);
    const browsers = both();
    await signIn(browsers);
    expect(await openSessions()).toHaveLength(1);
    const query = new URLSearchParams({ ReturnTo: `${provider.origin}/` });
    const first = await browsers.there.get(`/saml2/idp/SingleLogoutService.php?${query}`);
    const sent = await follow(browsers.there, first);
    expect(sent.location).toContain(`${platform.issuer}/api/core/saml/slo?SAMLRequest=`);
    const back = await browsers.here.get(sent.location);
    expect([back.status, await openSessions()]).toEqual([303, []]);
    const end = await browsers.there.get(back.location);
    expect(end.location).toBe(`${provider.origin}/`);
  });
});
