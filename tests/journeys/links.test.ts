import { until } from "@assistant/kit/testing/until.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Platform, startPlatform } from "../platform.js";

let platform: Platform;
let admin: string;
let account: string;
let useCase: string;

beforeAll(async () => {
  platform = await startPlatform({ words: ["--no-demo"] });
  admin = await platform.token();
  account = (await platform.post<{ id: string }>("/api/core/service-accounts", admin, { name: "Robot" })).id;
  const label = { en: "Contract review" };
  useCase = (await platform.post<{ id: string }>("/api/core/use-cases", admin, { label })).id;
}, 90_000);
afterAll(() => platform.stop());

interface Link {
  token_id: string;
  token: string;
  expires_at: string;
}

function ask(method: string, path: string, body?: unknown, token = admin): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(`${platform.url}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function make(path: string, body: unknown = {}): Promise<Link> {
  const answer = await ask("POST", path, body);
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([201, "no-store"]);
  // What the contract says of links; the test says next whether it is true.
  const link = (await answer.json()) as Link;
  expect(Object.keys(link)).toEqual(["token_id", "token", "expires_at"]);
  const collection = path.endsWith("/magic-links") ? path : `/api/core/use-cases/${useCase}/qr-link/magic-links`;
  const location = answer.headers.get("location") ?? "";
  expect(location).toBe(`${collection}/${link.token_id}`);
  const found = await ask("GET", location);
  expect([found.status, found.headers.get("cache-control"), await found.json()]).toEqual([200, "no-store", link]);
  return link;
}

function signIn(token: string): Promise<Response> {
  const form = new URLSearchParams({ grant_type: "urn:assistant:grant-type:magic-link", token });
  return fetch(`${platform.url}/api/core/auth/token`, { method: "POST", body: form });
}

describe("over HTTP", () => {
  test("a link of a service account is made, listed, used once and gone from the list", async () => {
    const path = `/api/core/service-accounts/${account}/magic-links`;
    const link = await make(path, { expires_in_s: 600 });
    const list = await ask("GET", path);
    expect([list.status, list.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(await list.json()).toEqual([link]);
    const answer = await signIn(link.token);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(await answer.json()).toMatchObject({ token_type: "Bearer", expires_in: 600, scope: "member" });
    const again = await signIn(link.token);
    expect(again.status).toBe(400);
    expect(await again.json()).toMatchObject({ error: "invalid_grant", detail: [{ type: "invalid_grant" }] });
    expect(await (await ask("GET", path)).json()).toEqual([]);
    expect((await fetch(`${platform.url}${path}`)).status).toBe(401);
    const unknown = "/api/core/service-accounts/sva_00000000000000000000000000/magic-links";
    expect((await ask("GET", unknown)).status).toBe(404);
    const wrong = await ask("POST", path, { expires_in_s: 59, max_uses: "many" });
    expect(await wrong.json()).toMatchObject({
      detail: [
        { type: "greater_than_equal", loc: ["body", "expires_in_s"], ctx: { ge: 60 } },
        { type: "int_parsing", loc: ["body", "max_uses"] },
      ],
    });
  });

  test("a link to a use case lets guests into it alone, shows itself as a QR code, is replaced and revoked", async () => {
    const path = `/api/core/use-cases/${useCase}/qr-link`;
    expect((await ask("GET", path)).status).toBe(404);
    const link = await make(path);
    expect(await (await ask("GET", path)).json()).toEqual(link);
    const one = `${path}/magic-links/${link.token_id}`;
    for (const [name, media] of [
      ["qr.svg", "image/svg+xml"],
      ["qr.png", "image/png"],
    ] as const) {
      const code = await ask("GET", `${one}/${name}`);
      expect([code.status, code.headers.get("content-type")]).toEqual([200, media]);
      expect(code.headers.get("cache-control")).toBe("no-store");
    }
    const { access_token: guest } = (await (await signIn(link.token)).json()) as { access_token: string };
    expect((await ask("GET", `/api/core/use-cases/${useCase}`, undefined, guest)).status).toBe(200);
    expect((await ask("GET", `${path}/magic-links`, undefined, guest)).status).toBe(403);
    const next = await make(`${path}/rotate`);
    expect((await signIn(link.token)).status).toBe(400);
    expect(await (await ask("GET", `${path}/magic-links`)).json()).toEqual([next]);
    const gone = await ask("DELETE", `${path}/magic-links/${next.token_id}`);
    expect([gone.status, await gone.json()]).toEqual([200, { message: "QR link revoked" }]);
    expect((await ask("DELETE", `${path}/magic-links/${next.token_id}`)).status).toBe(404);
  });

  test("a use case that is deleted takes its links along", async () => {
    const { token } = await make(`/api/core/use-cases/${useCase}/qr-link`);
    expect((await ask("DELETE", `/api/core/use-cases/${useCase}`)).status).toBe(200);
    await until(async () => (await signIn(token)).status === 400);
    expect((await ask("POST", `/api/core/use-cases/${useCase}/qr-link`, {})).status).toBe(404);
    expect((await ask("POST", `/api/core/use-cases/${useCase}/restore`)).status).toBe(200);
    expect((await signIn(token)).status).toBe(400);
    await make(`/api/core/use-cases/${useCase}/qr-link`);
  });
});
