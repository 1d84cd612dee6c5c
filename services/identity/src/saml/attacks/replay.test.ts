import { openPostgres, type Postgres } from "@assistant/kit/database/postgres.js";
import { quiet } from "@assistant/kit/testing.js";
import { SamlServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { rootOf } from "../../testing/people.js";
import { openPlatform, type Platform } from "../../testing/platform.js";
import { logoutRequestText, redirectQuery } from "../../testing/saml/logout.js";
import { edit, openProvider, type Provider } from "../../testing/saml/provider.js";
import { answerTo, type Browser, begin, connect, openSite, type Site } from "../../testing/saml/site.js";
import { type OpenedSaml, openSaml } from "../open-saml.js";

const ACS = "/api/core/saml/acs";
const SLO = "/api/core/saml/slo";

let platform: Platform;
/** Another replica's connections, threads and keys: all that the two share is the database. */
let replica: { db: Postgres; saml: OpenedSaml };
let sites: Site[];
let provider: Provider;
let slug: string;

beforeAll(async () => {
  platform = await openPlatform();
  const { databaseUrl, keyring, clock, issuer, parts } = platform;
  const db = openPostgres({ url: databaseUrl, poolMax: 10, log: quiet });
  const saml = openSaml({ ...parts, db, keyring, clock, log: quiet, publicUrl: issuer, allowedNetworks: [] });
  replica = { db, saml };
  const elsewhere = { ...platform, db, saml, parts: { ...parts, db, saml: saml.tools } };
  sites = [await openSite(platform), await openSite(elsewhere)];
  provider = await openProvider(issuer);
  const given = { jit: true, allow_idp_initiated: true, slo_url: "https://idp.example/slo" };
  const root = await rootOf(platform);
  await root.ask(rpcs.putOrgDomain, { org_id: root.orgId, domain: "ours.example" });
  slug = (await connect(root, provider, given)).slug;
}, 60_000);

afterAll(async () => {
  for (const site of sites ?? []) await site.close();
  await replica?.saml.close();
  await replica?.db.close();
  await platform?.close();
});

/** Eight at once, by turns to either replica. */
async function toBoth(send: (browser: Browser) => Promise<{ status: number }>): Promise<number[]> {
  const browsers = Array.from({ length: 4 }, () => sites.map((site) => site.browser())).flat();
  const persistent = async (browser: Browser): Promise<number> => {
    const { status } = await send(browser);
    // Where all threads are busy, one is told to come again.
    return status === 503 ? persistent(browser) : status;
  };
  return (await Promise.all(browsers.map(persistent))).sort((one, other) => one - other);
}

const once = [303, 403, 403, 403, 403, 403, 403, 403];

describe("of eight that two replicas take at once, one is good:", () => {
  test("answers to a request", async () => {
    const answer = answerTo(await begin(beginner(), slug), provider);
    expect(await toBoth((browser) => browser.post(ACS, answer))).toEqual(once);
  });

  test("answers that nobody asked for", async () => {
    const answer = answerTo({ requestId: "", relayState: "" }, provider, { inResponseTo: undefined });
    expect(await toBoth((browser) => browser.post(ACS, answer))).toEqual(once);
  });

  test("messages that sign somebody out", async () => {
    const text = edit(logoutRequestText(provider, Date.now()), /<samlp:SessionIndex>.*<\/samlp:SessionIndex>/, "");
    const query = redirectQuery(text, provider.key);
    expect(await toBoth((browser) => browser.get(`${SLO}?${query}`))).toEqual(once);
  });
});

test("what one replica began, another ends", async () => {
  const [one, other] = sites;
  const answer = answerTo(await begin(beginner(), slug), provider);
  expect((await other?.browser().post(ACS, answer))?.status).toBe(303);
  expect((await one?.browser().post(ACS, answer))?.status).toBe(403);
});

function beginner(): Browser {
  const [site] = sites;
  if (site === undefined) throw new Error("no site");
  return site.browser();
}
