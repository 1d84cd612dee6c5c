import { quiet } from "@assistant/kit/testing.js";
import { LinksServiceService } from "@assistant/proto/assistant/identity/v1/links_service.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Listener, startListener } from "../http/listener.js";
import { createPages } from "../pages/pages.js";
import { consume, newLink, newQrLink, replicaOf } from "../testing/links.js";
import { claimsOf, type Person, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { magicLoginRouter } from "./magic-login-router.js";
import { newLinkToken } from "./token.js";

let platform: Platform;
let admin: Person;
let listener: Listener;

beforeAll(async () => {
  platform = await openPlatform();
  admin = await rootOf(platform);
  const pages = createPages({ publicUrl: platform.issuer });
  const routers = [magicLoginRouter({ ...replicaOf(platform), pages })];
  listener = await startListener({ listen: "127.0.0.1:0", routers, pages, trustedProxies: [], log: quiet });
});

afterAll(async () => {
  await listener.stop(1_000);
  await platform.close();
});

const HTML = { accept: "text/html" };

function ask(method: "GET" | "POST", headers: Record<string, string>, body?: string, query = "") {
  const url = `http://127.0.0.1:${listener.port}/login/magic${query}`;
  return fetch(url, { method, headers, redirect: "manual", ...(body === undefined ? {} : { body }) });
}

/** Sends a form as a browser does from our own page; `headers` replaces what it sends. */
function send(fields: Record<string, string>, headers: Record<string, string> = {}) {
  const form = { "content-type": "application/x-www-form-urlencoded", origin: platform.issuer, ...HTML };
  return ask("POST", { ...form, ...headers }, new URLSearchParams(fields).toString());
}

async function usesOf(id: string): Promise<number | undefined> {
  const text = "select uses from magic_links where id = $1";
  return (await platform.db.query<{ uses: number }>("uses_of", text, [id]))[0]?.uses;
}

describe("opening a magic link", () => {
  test("answers the page and uses nothing up, whatever stands in the address: scanners open links too", async () => {
    const { token, token_id } = await newLink(admin);
    for (const query of ["", `?t=${token}`, `?token=${token}&step=consume`]) {
      const answer = await ask("GET", HTML, undefined, query);
      expect([answer.status, answer.headers.get("set-cookie")]).toEqual([200, null]);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("referrer-policy")).toMatch(/^(no-referrer|same-origin)$/);
      expect(await answer.text()).not.toContain(token);
    }
    expect(await usesOf(token_id)).toBe(0);
  });

  test("and looking who one becomes uses nothing up either", async () => {
    const { token, token_id } = await newLink(admin);
    for (let look = 0; look < 3; look += 1) {
      const answer = await send({ token, step: "look" });
      const page = await answer.text();
      expect([answer.status, answer.headers.get("set-cookie")]).toEqual([200, null]);
      expect(page).toContain("Robot");
      expect(page).toContain(token);
    }
    expect(await usesOf(token_id)).toBe(0);
  });

  test("takes the whole link as it takes its token, for whoever pastes it where no script runs", async () => {
    const { token } = await newLink(admin);
    for (const pasted of [
      `${platform.issuer}/login/magic#t=${token}`,
      ` #t=${token}\n`,
      `https://x/#t=${token}&utm=1`,
    ]) {
      const answer = await send({ token: pasted, step: "look" });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain(`value="${token}"`);
    }
    expect((await send({ token: `${platform.issuer}/login/magic?t=${token}`, step: "look" })).status).toBe(400);
  });

  test("shows a use case in the reader's language, else in English", async () => {
    const use_case_id = platform.catalog.addUseCase(admin.orgId, { en: "Contracts", de: "Verträge <&>" });
    const { token } = await newQrLink(platform, admin, { use_case_id });
    const german = await send({ token, step: "look" }, { "accept-language": "de-CH, en;q=0.5" });
    expect(await german.text()).toContain("Verträge &lt;&amp;&gt;");
    const polish = await send({ token, step: "look" }, { "accept-language": "pl" });
    expect(await polish.text()).toContain("Contracts");
  });
});

describe("the button of the page", () => {
  test("signs in: a cookie for the browser alone, and on to the start page, without the token", async () => {
    const { token, token_id, service_account_id } = await newLink(admin);
    const answer = await send({ token, step: "consume" }, { "user-agent": "Browser/1.0" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    const cookie = answer.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(
      /^__Host-refresh=asst_rt_[\w-]{43}; Path=\/; Expires=.*; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(await usesOf(token_id)).toBe(1);
    const refresh_cookie = cookie.slice(0, cookie.indexOf(";"));
    const request = { grant_type: "refresh_token", refresh_cookie, origin: platform.issuer };
    const { access_token } = await platform.bearer("").ask(rpcs.issueToken, request);
    expect(claimsOf(access_token)).toMatchObject({ sub: service_account_id, amr: ["magic_link"] });
    const text = "select method, user_agent from login_history where principal_id = $1";
    const history = await platform.db.query("history_of", text, [service_account_id]);
    expect(history).toEqual([{ method: "magic_link", user_agent: "Browser/1.0" }]);
  });

  test("works where the browser hides the page's address, since it says that the page is ours", async () => {
    const hidden = { origin: "null", "sec-fetch-site": "same-origin" };
    const { token } = await newLink(admin);
    expect((await send({ token, step: "consume" }, hidden)).status).toBe(303);
  });

  test("takes no form of another site, nor one that hides where it comes from: 403, and nothing is used up", async () => {
    const { token, token_id } = await newLink(admin);
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: `${platform.issuer}.evil.example` },
      { origin: platform.issuer.replace("https", "http") },
      { origin: `${platform.issuer}:8443` },
      { origin: "" },
      { origin: "null" },
      { origin: "null", "sec-fetch-site": "cross-site" },
      { origin: "null", "sec-fetch-site": "same-site" },
      { origin: platform.issuer, "sec-fetch-site": "cross-site" },
      { origin: platform.issuer, "sec-fetch-site": "same-site" },
    ];
    for (const headers of foreign) {
      for (const step of ["look", "consume"]) expect((await send({ token, step }, headers)).status).toBe(403);
    }
    const without = { "content-type": "application/x-www-form-urlencoded" };
    expect((await ask("POST", without, `token=${token}&step=consume`)).status).toBe(403);
    expect(await usesOf(token_id)).toBe(0);
  });

  test("says the same of every link that signs nobody in: unknown, revoked, used, expired", async () => {
    const [revoked, used, expired] = [
      await newLink(admin),
      await newLink(admin),
      await newLink(admin, { expires_in_s: 60 }),
    ];
    await admin.ask(LinksServiceService.deleteMagicLink, revoked);
    await consume(platform, used.token);
    platform.wait(60_000);
    const bodies = new Set<string>();
    for (const token of [newLinkToken(), "nonsense", revoked.token, used.token, expired.token]) {
      for (const step of ["look", "consume"]) {
        const answer = await send({ token, step }, { "x-request-id": "one" });
        expect([answer.status, answer.headers.get("set-cookie")]).toEqual([400, null]);
        bodies.add(await answer.text());
      }
    }
    expect(bodies.size).toBe(1);
  });

  test("answers programs with the one error body", async () => {
    const answer = await send({ token: newLinkToken(), step: "consume" }, { accept: "application/json" });
    expect(await answer.json()).toMatchObject({ detail: [{ type: "invalid_grant", msg: "Invalid grant" }] });
  });

  test("takes forms alone, with each field once, of 4 KiB at most", async () => {
    const { token, token_id } = await newLink(admin);
    const form = { "content-type": "application/x-www-form-urlencoded", origin: platform.issuer, ...HTML };
    const bodies: [string, Record<string, string>, number][] = [
      ["", form, 400],
      [`token=${token}`, form, 400],
      [`token=${token}&step=other`, form, 400],
      [`token=${token}&token=${token}&step=consume`, form, 400],
      [`token[]=${token}&step=consume`, form, 400],
      [`token=${token}&step=consume&more=${"x".repeat(4_096)}`, form, 413],
      [JSON.stringify({ token, step: "consume" }), { ...form, "content-type": "application/json" }, 400],
      [`token=${token}&step=consume`, { ...form, "content-type": "text/plain" }, 400],
    ];
    for (const [body, headers, status] of bodies) expect((await ask("POST", headers, body)).status).toBe(status);
    expect(await usesOf(token_id)).toBe(0);
  });
});

describe("who is signed in already", () => {
  const SIGNED_IN = "Robot One";

  async function cookieOf(person: { token: string }): Promise<string> {
    const { refresh_token } = await consume(platform, person.token);
    return `__Host-refresh=${refresh_token}`;
  }

  test("as somebody else is told so before, and nobody else is", async () => {
    const { service_account } = await admin.ask(rpcs.createServiceAccount, { name: SIGNED_IN });
    const other = await newLink(admin, { service_account_id: service_account?.id, max_uses: 9 });
    const { token } = await newLink(admin, { max_uses: 9 });
    const cookie = await cookieOf(other);
    const page = async (which: string, headers: Record<string, string>) =>
      (await send({ token: which, step: "look" }, headers)).text();
    expect(await page(token, { cookie })).toContain(SIGNED_IN);
    expect(await page(token, {})).not.toContain(SIGNED_IN);
    const own = (await page(other.token, { cookie })).match(/Robot One/g);
    expect(own).toHaveLength(1);
    await admin.ask(LinksServiceService.deleteMagicLink, other);
    expect(await page(token, { cookie })).not.toContain(SIGNED_IN);
  });

  test("gets a new session all the same, never the one that was there", async () => {
    const { token } = await newLink(admin, { max_uses: 9 });
    const cookie = await cookieOf({ token });
    const answer = await send({ token, step: "consume" }, { cookie });
    expect(answer.headers.get("set-cookie")).not.toContain(cookie);
  });
});
