import { setTimeout as sleep } from "node:timers/promises";
import { openProvider, type Provider } from "@assistant/identity/testing/saml/provider.js";
import { answerTo, type Browser, begin, browserAt } from "@assistant/identity/testing/saml/site.js";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Platform, startPlatform } from "../platform.js";

const ACS = "/api/core/saml/acs";

let platform: Platform;
let provider: Provider;

beforeAll(async () => {
  platform = await startPlatform({ words: ["--no-demo"] });
  provider = await openProvider(platform.url);
  const admin = await platform.token();
  // Without a verified domain no org may take what nobody asked for.
  const { items } = await platform.get<{ items: { id: string }[] }>("/api/core/orgs", admin);
  await platform.put(`/api/core/orgs/${items[0]?.id}/domains/ours.example`, admin);
  await platform.post("/api/core/saml/connections", admin, {
    slug: "acme",
    entity_id: provider.entityId,
    sso_url: "https://idp.example/sso",
    certificates: [provider.key.certificate],
    allow_idp_initiated: true,
    jit: true,
  });
}, 90_000);
afterAll(() => platform?.stop());

test.each(["postgres", "identity"])(
  "kill -9 of %s lets no answer of a provider sign in twice, and each other once",
  async (part) => {
    const browser = browserAt(platform.url);
    const asked = answerTo(await begin(browser, "acme"), provider);
    const unasked = answerTo({ requestId: "", relayState: "" }, provider, { inResponseTo: undefined });
    const used = [asked, unasked];
    for (const answer of used) expect((await browser.post(ACS, answer)).status).toBe(303);
    const open = answerTo(await begin(browser, "acme"), provider);

    process.kill(await platform.pidOf(part), "SIGKILL");

    for (const answer of used) expect(await judged(browser, answer)).toBe(403);
    expect(await judged(browser, open)).toBe(303);
    for (const answer of [...used, open]) expect(await judged(browser, answer)).toBe(403);
  },
  60_000,
);

const AWAY = new Set([502, 503, 504]);

/** The answer once everything is back; until then it is never a good one. */
async function judged(browser: Browser, answer: Readonly<Record<string, string>>): Promise<number> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(200)) {
    const { status } = await browser.post(ACS, answer);
    if (!AWAY.has(status)) return status;
  }
  throw new Error("it did not come back");
}
