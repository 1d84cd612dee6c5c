import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { detail, house, shown, startTestClient, type TestClient } from "./testing/client.js";
import { exchangeBytes, send } from "./testing/raw.js";

let client: TestClient;
let as: TestClient["as"];
let post: TestClient["post"];

beforeAll(async () => {
  client = await startTestClient();
  ({ as, post } = client);
});
afterAll(() => client.gateway.close());

describe("an operation", () => {
  test("that creates answers 201, the resource, where it is and its version", async () => {
    const answer = await post(house);
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual(shown);
    expect(answer.headers).toMatchObject({
      location: "/api/core/contexts/ctx_1",
      etag: '"1"',
      "cache-control": "no-store",
    });
  });

  test("gives absent values as null, query values their kinds", async () => {
    const answer = await as({ path: "/api/core/contexts?page_size=7" });
    expect(answer.json).toEqual({
      items: [{ ...shown, stack_order: 7 }],
      next_page_token: null,
    });
  });

  test("has a deadline of 10 s if it writes", async () => {
    await post(house);
    expect(client.seen().deadlineMs - Date.now()).toBeGreaterThan(8_000);
    expect(client.seen().deadlineMs - Date.now()).toBeLessThan(10_000);
  });

  test("answers HEAD like GET, without the body", async () => {
    const answer = await as({ method: "HEAD", path: "/api/core/contexts/ctx_1" });
    expect(answer).toMatchObject({ status: 200, text: "" });
    expect(answer.headers).toMatchObject({ etag: '"3"' });
  });

  test("answers OPTIONS with what the path takes, to anybody", async () => {
    const answer = await send(client.gateway.port, { method: "OPTIONS", path: "/api/core/contexts/ctx_1" });
    expect(answer).toMatchObject({ status: 204 });
    expect(answer.headers.allow).toBe("GET, HEAD, PUT, DELETE, OPTIONS");
  });
});

describe("who asks comes first", () => {
  const unauthenticated = detail("unauthenticated", ["header", "authorization"], "Not authenticated");

  test("without a token everything is 401, unknown paths and methods too, and no body is read", async () => {
    for (const request of [
      { path: "/api/core/contexts" },
      { path: "/nowhere" },
      { method: "DELETE", path: "/api/core/contexts" },
      { method: "POST", path: "/api/core/contexts", headers: { "content-type": "text/plain" }, body: "{" },
      { path: "/api/core/contexts/%E4" },
    ]) {
      const answer = await send(client.gateway.port, request);
      expect(answer).toMatchObject({ status: 401, json: unauthenticated });
      expect(answer.headers["www-authenticate"]).toBe('Bearer realm="assistant"');
    }
  });

  test("a token that is none, of another key or expired is told apart from no token", async () => {
    const expired = await client.gateway.identity.token({}, { exp: 1 });
    for (const authorization of [
      "Bearer",
      "Bearer nope",
      "bearer a b",
      `Bearer ${expired}`,
      `Bearer ${client.token}x`,
    ]) {
      const answer = await send(client.gateway.port, { path: "/api/core/contexts", headers: { authorization } });
      expect(answer.status).toBe(401);
      expect(answer.json).toMatchObject({ detail: [{ ctx: { error: "invalid_token" } }] });
      expect(answer.headers["www-authenticate"]).toMatch(/^Bearer .*error="invalid_token"/);
    }
    const other = await send(client.gateway.port, {
      path: "/api/core/contexts",
      headers: { authorization: "Basic dTpw" },
    });
    expect(other.json).toEqual(unauthenticated);
  });
});

describe("what has no row", () => {
  const notFound = detail("not_found", ["path"], "Not Found");

  test("is 404, also where the path is not UTF-8, of other case or with a slash more", async () => {
    for (const path of [
      "/nowhere",
      "/api/core/contexts/%E4",
      "/api/core/Contexts",
      "/api/core/contexts/",
      "/api/core/contexts/ctx_9/%ff/x",
      "/docs/../etc",
    ]) {
      expect(await as({ path })).toMatchObject({ status: 404, json: notFound });
    }
  });

  test("is 405 with what the path takes, where the path is known", async () => {
    const answer = await as({
      method: "PATCH",
      path: "/api/core/contexts/ctx_1",
      headers: { "content-type": "x" },
      body: "{",
    });
    expect(answer).toMatchObject({
      status: 405,
      json: detail("method_not_allowed", ["method"], "Method Not Allowed", "PATCH"),
    });
    expect(answer.headers.allow).toBe("GET, HEAD, PUT, DELETE, OPTIONS");
    expect(await as({ method: "PROPFIND", path: "/api/core/contexts" })).toMatchObject({ status: 405 });
    expect((await as({ method: "GET", path: "/api/core/contexts/order" })).headers.allow).toBe("PUT, OPTIONS");
  });

  test("is 405 to anybody where the path belongs to no service", async () => {
    for (const path of ["/livez", "/readyz", "/openapi.json", "/docs", "/docs/start.js"]) {
      const answer = await as({ method: "POST", path, headers: { authorization: "" } });
      expect(answer).toMatchObject({ status: 405, headers: { allow: "GET, HEAD, OPTIONS" } });
      expect((await as({ method: "OPTIONS", path })).status).toBe(204);
    }
  });
});

describe("bodies", () => {
  test("of another media type, or compressed, are 415; without a body the type does not matter", async () => {
    const wrong = (input: unknown) =>
      detail("unsupported_media_type", ["header", "content-type"], "Unsupported Media Type", input, {
        expected: "application/json",
      });
    expect(await as({ method: "POST", path: "/api/core/contexts", body: "{}" })).toMatchObject({
      status: 415,
      json: wrong(null),
    });
    for (const type of [
      "text/plain",
      "application/jsonx",
      "multipart/form-data; boundary=x",
      "application/x-www-form-urlencoded",
    ]) {
      expect(await post("{}", { "content-type": type })).toMatchObject({ status: 415, json: wrong(type) });
    }
    expect(await post("{}", { "content-encoding": "gzip" })).toMatchObject({ status: 415 });
    expect(await as({ path: "/api/core/contexts/ctx_1", headers: { "content-type": "text/plain" } })).toMatchObject({
      status: 200,
    });
    for (const type of ["application/json; charset=utf-8", "application/merge-patch+json", "APPLICATION/JSON"]) {
      expect(await post(house, { "content-type": type })).toMatchObject({ status: 201 });
    }
  });

  test("that come in chunks, none of them, are missing like those of length 0", async () => {
    const headers = { "transfer-encoding": "chunked" };
    const answer = await as({ method: "POST", path: "/api/core/contexts", headers, body: "" });
    expect(answer).toMatchObject({ status: 422, json: detail("missing", ["body"], "Field required") });
  });

  test("over 2 MiB are 413, told or counted; exactly 2 MiB are read", async () => {
    const most = 2 * 1_024 * 1_024;
    const large = detail("payload_too_large", ["body"], "Payload Too Large", null, { max_bytes: most });
    const text = JSON.stringify(house);
    expect(await post(text.padEnd(most))).toMatchObject({ status: 201 });
    expect(await post(text.padEnd(most + 1))).toMatchObject({ status: 413, json: large });
    expect(await post(text.padEnd(most + 1), { "transfer-encoding": "chunked" })).toMatchObject({
      status: 413,
      json: large,
    });
  });

  test("that are not UTF-8 or too deep are 400, and deep is counted without a stack", async () => {
    const bad = (reason: string) => ({
      status: 400,
      json: detail("bad_request", ["body"], "There was an error parsing the body", null, { reason }),
    });
    const binary = { method: "POST", path: "/api/core/contexts", headers: { "content-type": "application/json" } };
    expect(await as({ ...binary, body: Buffer.from([0x7b, 0xff]) })).toMatchObject(bad("encoding"));
    expect(await post(`{"title":${"[".repeat(20_000)}`)).toMatchObject(bad("depth"));
    expect(await post(`${"[".repeat(501)}${"]".repeat(501)}`)).toMatchObject(bad("depth"));
    expect(await post(`${"[".repeat(500)}${"]".repeat(500)}`)).toMatchObject({ status: 422 });
  });

  test("that are empty, null or broken are 422", async () => {
    for (const body of ["", "null", " null\n"]) {
      expect(await post(body)).toMatchObject({ status: 422, json: detail("missing", ["body"], "Field required") });
    }
    expect(await post('{"a":1,}')).toMatchObject({
      status: 422,
      json: { detail: [{ type: "json_invalid", loc: ["body", "7"], input: {} }] },
    });
  });

  test("are asked for only once the bearer holds", async () => {
    const text = JSON.stringify(house);
    const lines = ["POST /api/core/contexts HTTP/1.1", "Host: x", "Connection: close", "Expect: 100-continue"];
    const kind = ["Content-Type: application/json", `Content-Length: ${text.length}`, "", ""];
    const head = (...authorization: string[]) => [...lines, ...authorization, ...kind].join("\r\n");
    const refused = await exchangeBytes(client.gateway.port, head());
    expect(refused).toMatch(/^HTTP\/1.1 401 /);
    const taken = await exchangeBytes(client.gateway.port, `${head(`Authorization: Bearer ${client.token}`)}${text}`);
    expect(taken).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
  });
});

describe("what services say", () => {
  test("stands at its place in the request, with what was sent there", async () => {
    const cases: readonly (readonly [object, number, object])[] = [
      [
        { category_id: "cat_unknown" },
        422,
        detail("value_error", ["body", "category_id"], "Value error, Unknown category_id", "cat_unknown", {
          error: {},
        }),
      ],
      [{ title: "forbidden" }, 403, detail("forbidden", ["header", "authorization"], "Not permitted")],
      [{ title: "scope" }, 403, detail("forbidden", ["body", "scope_id"], "Not permitted", "org_a")],
      [
        { title: "taken" },
        409,
        detail("conflict", ["body", "title"], "Conflict with the current state", "taken", { reason: "name_taken" }),
      ],
    ];
    for (const [fields, status, json] of cases)
      expect(await post({ ...house, ...fields })).toMatchObject({ status, json });
    expect(await post({ ...house, title: "running" }, { "idempotency-key": "k-1" })).toMatchObject({
      status: 409,
      json: detail("conflict", ["header", "idempotency-key"], "Conflict with the current state", "k-1", {
        reason: "in_flight",
      }),
    });
    expect(await as({ method: "DELETE", path: "/api/core/contexts/ctx_1" })).toMatchObject({
      status: 409,
      json: detail("conflict", ["path"], "Conflict with the current state", null, { reason: "state" }),
    });
    expect(await as({ path: "/api/core/contexts/ctx_9" })).toMatchObject({
      status: 404,
      json: detail("not_found", ["path"], "Not Found"),
    });
  });

  test("never shows a cause; the request id leads to it", async () => {
    const answer = await post({ ...house, title: "bug" }, { "x-request-id": "r-1" });
    expect(answer).toMatchObject({
      status: 500,
      json: detail("internal", [], "Internal Server Error", null, { request_id: "r-1" }),
    });
    expect(answer.text).not.toContain("secret cause");
    const down = await post({ ...house, title: "down" }, { "x-request-id": "r-2" });
    expect(down).toMatchObject({
      status: 503,
      json: detail("unavailable", [], "Service Unavailable", null, { retry_after: 5, request_id: "r-2" }),
    });
    expect(down.headers["retry-after"]).toBe("5");
  });
});
