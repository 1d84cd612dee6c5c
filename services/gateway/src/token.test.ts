import { refused, unavailable } from "@assistant/kit/wire/fault.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startTestGateway, type TestGateway } from "./testing/gateway.js";
import { send } from "./testing/raw.js";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    perMinute: { read: 100, write: 100, token: 30 },
    trustedProxies: ["127.0.0.1"],
    tokens: {
      issueToken: async ({ grant_type, client_id, client_secret, refresh_token, refresh_cookie, origin }) => {
        if (grant_type === undefined) throw refused("invalid_request", "grant_type is missing");
        if (grant_type === "refresh_token") return cookieAnswer({ refresh_token, refresh_cookie, origin });
        if (client_id === "down") throw unavailable("no database");
        if (grant_type !== "client_credentials") throw refused("unsupported_grant_type");
        if (client_secret !== "right & proper") throw refused("invalid_client");
        return { access_token: "t", token_type: "Bearer", expires_in: 600, scope: "member" };
      },
    },
    sessions: {
      revokeToken: async ({ refresh_cookie }) => (refresh_cookie === undefined ? {} : { set_cookie: "cleared=" }),
      introspectToken: async ({ token }) =>
        token === "good" ? { active: true, scope: "member", exp: 1_900_000_000 } : { active: false },
    },
  });
});

/** Says what arrived, in the one place where an answer can. */
function cookieAnswer(arrived: object) {
  const set_cookie = "__Host-refresh=next; Path=/; HttpOnly; SameSite=Strict; Secure";
  return { access_token: JSON.stringify(arrived), token_type: "Bearer", expires_in: 600, scope: "member", set_cookie };
}

afterAll(() => gateway.close());

const form = "application/x-www-form-urlencoded";
let client = 0;
const ask = (body: string | Buffer, type = form, address?: string) => {
  // Each request comes from another address, unless its own matters, so that the windows do not meet.
  client += 1;
  return send(gateway.port, {
    method: "POST",
    path: "/api/core/auth/token",
    headers: { "content-type": type, "x-forwarded-for": address ?? `10.0.0.${client}` },
    body,
  });
};
const problem = (name: string, msg: string, description = msg) => ({
  error: name,
  error_description: description,
  detail: [{ type: name, loc: ["body"], msg, input: null, ctx: {} }],
});

describe("a token request", () => {
  test("is taken as a form and as JSON, and its answer is kept nowhere", async () => {
    const token = { access_token: "t", token_type: "Bearer", expires_in: 600, scope: "member" };
    const asForm = await ask("grant_type=client_credentials&client_id=sva_1&client_secret=right+%26+proper");
    expect(asForm).toMatchObject({ status: 200, json: token });
    expect(asForm.headers["cache-control"]).toBe("no-store");
    const json = { grant_type: "client_credentials", client_id: "sva_1", client_secret: "right & proper" };
    expect(await ask(JSON.stringify(json), "application/json")).toMatchObject({ status: 200, json: token });
  });

  test("that is refused names the reason as RFC 6749 does, beside the usual body", async () => {
    const unknown = await ask("grant_type=client_credentials&client_id=sva_1&client_secret=wrong");
    expect(unknown).toMatchObject({ status: 401, json: problem("invalid_client", "Invalid client") });
    expect(unknown.headers["www-authenticate"]).toMatch(/^Bearer/);
    expect(await ask("grant_type=password")).toMatchObject({
      status: 400,
      json: problem("unsupported_grant_type", "Unsupported grant type"),
    });
  });

  const proper = "client_id=sva_1&client_secret=right+%26+proper";
  const kinds = "the body must be application/x-www-form-urlencoded or application/json";

  test.each([
    [`grant_type=password&grant_type=client_credentials&${proper}`, form, "a field of the body comes twice"],
    ["{", "application/json", "the body is not JSON"],
    [Buffer.from([0x22, 0xff, 0x22]), "application/json", "the body is not UTF-8"],
    ["[".repeat(501), "application/json", "the body is nested too deeply"],
    ["", form, "the body is missing"],
    ["null", "application/json", "the body is missing"],
    ["[]", "application/json", "the body must be an object"],
    ['{"grant_type":5}', "application/json", "grant_type must be a string"],
    ['{"client_secret":["planted-secret"]}', "application/json", "client_secret must be a string"],
    ['{"scope":"\\ud800"}', "application/json", "scope must be Unicode"],
    ["grant_type=x", "text/plain", kinds],
    ["grant_type=x", "", kinds],
    ["grant_type=%00", form, "grant_type is wrong: Value error, Null characters are not allowed"],
    ["scope=member", form, "grant_type is missing"],
  ])("that cannot be read is an invalid_request that says what is wrong: %j as %s", async (body, type, description) => {
    const answer = await ask(body, type);
    expect(answer).toMatchObject({ status: 400, json: problem("invalid_request", "Invalid request", description) });
    expect(answer.text).not.toContain("planted-secret");
  });

  test("says what is wrong in the characters of RFC 6749 only", async () => {
    const sent = { path: "/api/core/auth/token", method: "POST", body: '{"\\"ü\\\\":1}' };
    const headers = { "content-type": "application/json", prefer: "handling=strict", "x-forwarded-for": "10.1.0.1" };
    const answer = await send(gateway.port, { ...sent, headers });
    expect(answer.json).toMatchObject({ error_description: "??? is not known here" });
  });

  test("that nobody can judge now is 503", async () => {
    expect(await ask("grant_type=client_credentials&client_id=down")).toMatchObject({
      status: 503,
      json: { error: "unavailable" },
    });
  });
});

describe("a cookie", () => {
  const refresh = (headers: Record<string, string>, fields: object = {}) =>
    send(gateway.port, {
      method: "POST",
      path: "/api/core/auth/token",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ grant_type: "refresh_token", ...fields }),
    });
  const arrived = (json: unknown) => JSON.parse((json as { access_token: string }).access_token);

  test("reaches identity with the Origin, and what identity leaves is a header and in no body", async () => {
    const answer = await refresh({ cookie: "a=1; __Host-refresh=now", origin: "https://a.example" });
    expect(answer.status).toBe(200);
    expect(arrived(answer.json)).toEqual({ refresh_cookie: "a=1; __Host-refresh=now", origin: "https://a.example" });
    expect(answer.headers["set-cookie"]).toEqual(["__Host-refresh=next; Path=/; HttpOnly; SameSite=Strict; Secure"]);
    expect(Object.keys(answer.json as object)).toEqual(["access_token", "token_type", "expires_in", "scope"]);
  });

  test("and Origin come from headers only, whatever a body or a form says", async () => {
    const forged = { refresh_cookie: "__Host-refresh=forged", origin: "https://forged.example" };
    expect(arrived((await refresh({ origin: "https://evil.example" }, forged)).json)).toEqual({
      origin: "https://evil.example",
    });
    const asForm = await ask("grant_type=refresh_token&origin=https%3A%2F%2Fforged.example&refresh_cookie=x");
    expect(arrived(asForm.json)).toEqual({});
    expect((await refresh({}, { origin: 5, refresh_cookie: {} })).status).toBe(200);
  });
});

describe("revoking", () => {
  const revoke = (headers: Record<string, string>, body: string) =>
    send(gateway.port, { method: "POST", path: "/api/core/auth/revoke", headers, body });

  test("needs no bearer, takes a form and JSON, and answers an empty object", async () => {
    expect(await revoke({ "content-type": form }, "token=anything")).toMatchObject({ status: 200, text: "{}" });
    const json = await revoke({ "content-type": "application/json" }, '{"token":"anything"}');
    expect(json).toMatchObject({ status: 200, text: "{}" });
    expect(json.headers["cache-control"]).toBe("no-store");
  });

  test("takes the cookie of a browser away", async () => {
    const answer = await revoke({ "content-type": "application/json", cookie: "__Host-refresh=now" }, "{}");
    expect(answer).toMatchObject({ status: 200, text: "{}" });
    expect(answer.headers["set-cookie"]).toEqual(["cleared="]);
  });
});

describe("introspection", () => {
  const introspect = async (token: string) =>
    send(gateway.port, {
      method: "POST",
      path: "/api/core/auth/introspect",
      headers: { "content-type": form, authorization: `Bearer ${await gateway.identity.token({})}` },
      body: `token=${token}`,
    });

  test("leaves out what is not known, and says nothing but `active` of a token that does not hold", async () => {
    expect((await introspect("good")).text).toBe('{"active":true,"scope":"member","exp":1900000000}');
    expect((await introspect("bad")).text).toBe('{"active":false}');
  });

  test("needs a bearer: 401", async () => {
    const answer = await send(gateway.port, {
      method: "POST",
      path: "/api/core/auth/introspect",
      headers: { "content-type": form },
      body: "token=good",
    });
    expect(answer.status).toBe(401);
  });
});

describe("rates", () => {
  test("token requests are counted for each address that a trusted proxy tells", async () => {
    for (let count = 0; count < 30; count += 1) await ask("grant_type=x", form, "192.0.2.1");
    const full = await ask("grant_type=x", form, "192.0.2.1");
    expect(full.status).toBe(429);
    expect(full.json).toMatchObject({
      detail: [{ type: "rate_limited", loc: [], msg: "Too Many Requests", input: null }],
    });
    expect(full.headers).toMatchObject({ "ratelimit-policy": '"token";q=30;w=60' });
    expect(full.headers["ratelimit"]).toMatch(/^"token";r=0;t=\d+$/);
    expect(Number(full.headers["retry-after"])).toBeGreaterThan(0);
    expect((await ask("grant_type=x", form, "192.0.2.2")).status).toBe(400);
  });

  test("all else is counted for each principal, reads apart from writes, before the route is looked at", async () => {
    const [one, other] = [await gateway.identity.token({}), await gateway.identity.token({})];
    const get = (token: string, path = "/api/core/contexts/ctx_1") =>
      send(gateway.port, { path, headers: { authorization: `Bearer ${token}` } });
    for (let count = 0; count < 100; count += 1) await get(one);
    expect((await get(one)).status).toBe(429);
    expect((await get(one, "/nowhere")).status).toBe(429);
    expect((await get(other)).status).toBe(404);
    const write = await send(gateway.port, {
      method: "DELETE",
      path: "/api/core/contexts/ctx_1",
      headers: { authorization: `Bearer ${one}` },
    });
    expect(write.status).toBe(404);
    expect(write.headers["ratelimit"]).toMatch(/^"write";r=99;t=\d+$/);
  });
});
