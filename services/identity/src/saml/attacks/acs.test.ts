import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { rootOf } from "../../testing/people.js";
import { openPlatform, type Platform } from "../../testing/platform.js";
import type { Attack } from "../../testing/saml/attack.js";
import { claims } from "../../testing/saml/claims.js";
import { encryptions } from "../../testing/saml/encryption.js";
import { malformed } from "../../testing/saml/malformed.js";
import { base64, edit, openProvider, type Provider, responseText, signed } from "../../testing/saml/provider.js";
import { signings } from "../../testing/saml/signing.js";
import { begin, connect, openSite, type Site } from "../../testing/saml/site.js";
import { wrappings } from "../../testing/saml/wrapping.js";

const ACS = "/api/core/saml/acs";

let platform: Platform;
let site: Site;
let provider: Provider;
let slug: string;

beforeAll(async () => {
  platform = await openPlatform();
  site = await openSite(platform);
  const [ourKey] = await platform.saml.tools.spKeys.published();
  provider = { ...(await openProvider(platform.issuer)), ourKey };
  const connection = await connect(await rootOf(platform), provider, { jit: true });
  slug = connection.slug;
}, 60_000);

afterAll(async () => {
  await site?.close();
  await platform?.close();
});

async function sessions(): Promise<number> {
  const count = "select (select count(*) from sessions) + (select count(*) from login_codes) as count";
  const [row] = await platform.db.query<{ count: string }>("t_sessions", count, []);
  return Number(row?.count);
}

/** What the attack asks of the connection, as an admin might have set it. */
async function configure({ trust }: Attack): Promise<void> {
  await platform.db.query("t_configure", "update saml_connections set allow_cbc = $1, nameid_format = $2", [
    trust?.allowCbc ?? false,
    trust?.nameIdFormat === undefined ? "any" : "persistent",
  ]);
}

describe.each([
  ["wrapped", wrappings()],
  ["signed badly", signings()],
  ["saying what it should not", claims()],
  ["encrypted badly", encryptions()],
  ["malformed", malformed()],
])("an answer that is %s", (_, attacks) => {
  test.each(attacks.map((attack) => [attack.name, attack] as const))("signs nobody in: %s", async (_name, attack) => {
    await configure(attack);
    const before = await sessions();
    const browser = site.browser();
    const { requestId, relayState } = await begin(browser, slug);
    const message = await attack.message(provider, { inResponseTo: requestId, nowMs: Date.now() });
    const shown = await browser.post(ACS, { SAMLResponse: message, RelayState: relayState });
    expect([400, 403, 413]).toContain(shown.status);
    expect([shown.location, [...browser.cookies.keys()]]).toEqual(["", ["__Host-saml"]]);
    expect(await sessions()).toBe(before);
  });
});

test("after all of them a good answer signs in", async () => {
  const browser = site.browser();
  const { requestId, relayState } = await begin(browser, slug);
  const text = signed(responseText(provider, { inResponseTo: requestId, nowMs: Date.now() }), provider.key, "both");
  const taken = await browser.post(ACS, { SAMLResponse: base64(text), RelayState: relayState });
  expect(taken.status).toBe(303);
  expect((await browser.get(taken.location)).status).toBe(303);
  expect(browser.cookies.has("__Host-refresh")).toBe(true);
});

test("one assertion in several wrappings signs in once, however many bring it at once", async () => {
  const browser = site.browser();
  const { requestId, relayState } = await begin(browser, slug);
  const plain = responseText(provider, { inResponseTo: requestId, nowMs: Date.now() });
  const own = plain.replace('"_assertion"', '"_many"');
  const wrapped = signed(own, provider.key, "both");
  const bare = edit(wrapped, /<ds:Signature .*?<\/ds:Signature>/, "");
  const fields = Array.from({ length: 8 }, (_, index) => ({
    SAMLResponse: base64(index % 2 === 0 ? wrapped : edit(bare, 'ID="_response"', `ID="_response${index}"`)),
    RelayState: relayState,
  }));
  const all = await Promise.all(fields.map((answer) => browser.post(ACS, answer)));
  expect(all.filter(({ status }) => status === 303)).toHaveLength(1);
  expect(all.filter(({ status }) => status >= 500 && status !== 503)).toEqual([]);
  const again = await begin(browser, slug);
  const replayed = await browser.post(ACS, { SAMLResponse: base64(wrapped), RelayState: again.relayState });
  expect(replayed.status).toBe(403);
});
