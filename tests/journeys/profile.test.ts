import { until } from "@assistant/kit/testing/until.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Platform, startPlatform } from "../platform.js";

type Person = "platformAdmin" | "admin" | "editor" | "member" | "nobody";

/** What changes a setting answers to whom; reading is for all who have a token. */
const rights: readonly (readonly [string, string, object | undefined, Record<Person, number>])[] = [
  ["PUT", "/api/core/platform_settings", { name: "Ours" }, forPlatformAdmins()],
  ["PUT", "/api/core/platform_settings/favicon", { data: base64('<svg><path d="M0 0"/></svg>') }, forPlatformAdmins()],
  ["DELETE", "/api/core/platform_settings/favicon", undefined, forPlatformAdmins()],
  ["PUT", "/api/core/models/large-1", { name: "Large" }, forPlatformAdmins()],
  ["PUT", "/api/core/models/small-1/enabled", { enabled: true }, { ...forPlatformAdmins(), admin: 200 }],
  ["GET", "/api/core/platform_settings", undefined, forAll()],
  ["GET", "/api/core/platform_settings/favicon", undefined, forAll()],
  ["GET", "/api/core/models", undefined, forAll()],
  ["GET", "/api/core/user/profile", undefined, forAll()],
  ["GET", "/api/core/user/login-history", undefined, forAll()],
  ["GET", "/api/core/me/permissions", undefined, forAll()],
  ["PATCH", "/api/core/user/profile", { preferred_language: "pl" }, forAll()],
  ["PATCH", "/api/core/user/profile/model", { model: "small-1" }, forAll()],
  ["GET", "/favicon.ico", undefined, { ...forAll(), nobody: 200 }],
];

let platform: Platform;
const tokens = new Map<Person, string>();

beforeAll(async () => {
  platform = await startPlatform({ words: ["--no-demo"] });
  const root = await platform.token();
  tokens.set("platformAdmin", root);
  for (const role of ["admin", "editor", "member"] as const) {
    const email = `${role}@profile.example`;
    await platform.post("/api/core/users", root, { email, name: role, role });
    tokens.set(role, await platform.token(email));
  }
  expect(await statusOf("platformAdmin", "PUT", "/api/core/models/small-1", { name: "Small" })).toBe(200);
}, 90_000);

afterAll(() => platform.stop());

describe("over HTTP", () => {
  for (const [method, path, body, people] of rights) {
    for (const [person, status] of Object.entries(people) as [Person, number][]) {
      test(`${person}: ${method} ${path} answers ${status}`, async () => {
        expect(await statusOf(person, method, path, body)).toBe(status);
      });
    }
  }

  test("a profile has every field of the interface document", async () => {
    await ask("member", "PATCH", "/api/core/user/profile", { preferred_language: "sv" });
    const profile = await ask("member", "PATCH", "/api/core/user/profile/model", { model: "small-1" });
    const { id, active_org_id, ...rest } = await profile.json();
    expect(rest).toEqual({
      preferred_language: "sv",
      preferred_model: "small-1",
      favorite_use_cases: [],
      login_history: [
        {
          timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
          method: "bootstrap",
          ip_address: "127.0.0.1",
          user_agent: expect.any(String),
        },
      ],
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
      oauth_tokens: {},
      email: "member@profile.example",
    });
    expect([id, active_org_id]).toEqual([expect.stringMatching(/^usr_/), expect.stringMatching(/^org_/)]);
    const etag = profile.headers.get("etag") ?? "";
    const known = await ask("member", "GET", "/api/core/user/profile", undefined, { "if-none-match": etag });
    expect(known.status).toBe(304);
  });

  test("a model that the org does not enable is refused by name", async () => {
    const answer = await ask("member", "PATCH", "/api/core/user/profile/model", { model: "huge-1" });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ detail: [{ type: "enum", loc: ["body", "model"], input: "huge-1" }] });
  });

  test("a use case that is deleted is a favorite no more", async () => {
    const token = tokens.get("admin") ?? "";
    const { id } = await platform.post<{ id: string }>("/api/core/use-cases", token, { label: { en: "Short-lived" } });
    const path = `/api/core/user/favorites/${id}`;
    expect(await statusOf("member", "PUT", path)).toBe(200);
    expect(await favoritesOf("member")).toEqual([id]);
    expect(await statusOf("admin", "DELETE", `/api/core/use-cases/${id}`)).toBe(200);
    // Catalog tells identity by the bus.
    await until(async () => (await favoritesOf("member")).length === 0);
    expect(await statusOf("member", "PUT", path)).toBe(404);
    expect(await statusOf("member", "DELETE", path)).toBe(200);
  });

  test("the icon is an image to who asks for one, with and without a token, and JSON to others", async () => {
    const path = "/api/core/platform_settings/favicon";
    const image = await ask("member", "GET", path, undefined, { accept: "image/*" });
    expect(image.headers.get("content-type")).toBe("image/svg+xml");
    const open = await ask("nobody", "GET", "/favicon.ico");
    expect(await open.text()).toBe(await image.text());
    expect(await (await ask("member", "GET", path)).json()).toMatchObject({ content_type: "image/svg+xml" });
  });
});

function forPlatformAdmins(): Record<Person, number> {
  return { nobody: 401, member: 403, editor: 403, admin: 403, platformAdmin: 200 };
}

function forAll(): Record<Person, number> {
  return { nobody: 401, member: 200, editor: 200, admin: 200, platformAdmin: 200 };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

async function favoritesOf(person: Person): Promise<string[]> {
  return (await (await ask(person, "GET", "/api/core/user/profile")).json()).favorite_use_cases;
}

async function statusOf(person: Person, method: string, path: string, body?: object): Promise<number> {
  return (await ask(person, method, path, body)).status;
}

function ask(
  person: Person,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const token = tokens.get(person);
  return fetch(`${platform.url}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
