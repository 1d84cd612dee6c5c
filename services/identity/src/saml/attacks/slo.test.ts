import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { rootOf } from "../../testing/people.js";
import { openPlatform, type Platform } from "../../testing/platform.js";
import { logoutRequestText, redirectQuery } from "../../testing/saml/logout.js";
import { base64, edit, openProvider, type Provider, signature } from "../../testing/saml/provider.js";
import { redirects } from "../../testing/saml/redirects.js";
import { connect, openSite, type Site, signInBySaml } from "../../testing/saml/site.js";

const SLO = "/api/core/saml/slo";

let platform: Platform;
let site: Site;
let provider: Provider;

beforeAll(async () => {
  platform = await openPlatform();
  site = await openSite(platform);
  provider = await openProvider(platform.issuer);
  const logout = { slo_url: "https://idp.example/slo" };
  const connection = await connect(await rootOf(platform), provider, { jit: true, ...logout });
  const signedIn = await signInBySaml(site.browser(), provider, connection.slug, { nameId: "ada" });
  expect(signedIn.status).toBe(303);
}, 60_000);

afterAll(async () => {
  await site?.close();
  await platform?.close();
});

async function openSessions(): Promise<number> {
  const open = "select count(*)::int as count from sessions where name_id = 'ada' and ended_at is null";
  const [row] = await platform.db.query<{ count: number }>("t_open", open, []);
  return row?.count ?? 0;
}

/** For all sessions of the name: the maker's session index is not that of the sign-in. */
const everywhere = (text: string) => edit(text, /<samlp:SessionIndex>.*<\/samlp:SessionIndex>/, "");

describe("a logout message of an attacker", () => {
  test.each(redirects().map((attack) => [attack.name, attack] as const))("ends nothing: %s", async (_name, attack) => {
    const shown = await site.browser().get(`${SLO}?${attack.query(provider, Date.now())}`);
    expect(shown.status).toBeGreaterThanOrEqual(400);
    expect(shown.status).toBeLessThan(500);
    expect(shown.location).toBe("");
    expect(await openSessions()).toBe(1);
  });

  test.each<[string, (text: string) => string]>([
    ["without a signature", (text) => text],
    ["by somebody else", (text) => signature(text, provider.foreign, "LogoutRequest")],
    [
      "changed on the way",
      (text) => edit(signature(edit(text, ">ada<", ">eve<"), provider.key, "LogoutRequest"), ">eve<", ">ada<"),
    ],
    [
      "for another service",
      (text) =>
        signature(
          edit(text, /Destination="[^"]*"/, 'Destination="https://other.example"'),
          provider.key,
          "LogoutRequest",
        ),
    ],
  ])("ends nothing by POST: %s", async (_name, change) => {
    const text = change(everywhere(logoutRequestText(provider, Date.now())));
    const shown = await site.browser().post(SLO, { SAMLRequest: base64(text) });
    expect(shown.status).toBe(403);
    expect(await openSessions()).toBe(1);
  });
});

test("after all of them the provider's own message ends the session, once", async () => {
  const query = redirectQuery(everywhere(logoutRequestText(provider, Date.now())), provider.key);
  const shown = await site.browser().get(`${SLO}?${query}`);
  expect([shown.status, shown.location]).toEqual([
    303,
    expect.stringContaining("https://idp.example/slo?SAMLResponse="),
  ]);
  expect(await openSessions()).toBe(0);
  expect((await site.browser().get(`${SLO}?${query}`)).status).toBe(403);
});
