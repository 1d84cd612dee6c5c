import { conflict, denied, invalid, missing, stale, unavailable } from "@assistant/kit/fault.js";
import { unknownId } from "@assistant/kit/violation.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startTestGateway, type TestGateway } from "./testing/gateway.js";
import { type RawRequest, send } from "./testing/raw.js";

const house = { title: "House style", category_id: "cat_a", context: "Answer briefly.", scope_id: "org_a" };
const stored = { id: "ctx_1", ...house, scope: { type: "SCOPE_TYPE_ORG" as const, scope_id: "org_a" }, stack_order: 0 };
const context = { ...stored, scope: { type: "org", scope_id: "org_a" }, scope_id: undefined };
let gateway: TestGateway;
let token: string;
let seen:
  | { ifMatch?: unknown; key?: unknown; requestId?: string; traceparent?: string; deadlineMs: number }
  | undefined;

beforeAll(async () => {
  gateway = await startTestGateway({
    contexts: {
      createContext: async ({ category_id, title }, call) => {
        seen = {
          key: call.idempotencyKey,
          requestId: call.requestId,
          traceparent: call.traceparent,
          deadlineMs: call.deadlineMs,
        };
        if (category_id === "cat_unknown") throw invalid(unknownId("category_id"));
        if (title === "forbidden") throw denied();
        if (title === "scope") throw denied(["scope_id"]);
        if (title === "taken") throw conflict("name_taken", ["title"]);
        if (title === "running") throw conflict("in_flight", ["header", "idempotency-key"]);
        if (title === "down") throw unavailable("no database", undefined, 5);
        if (title === "bug") throw new Error("secret cause");
        call.reply.version = 1;
        if (call.idempotencyKey === "again") call.reply.replayed = true;
        return { context: stored };
      },
      getContext: async ({ context_id }, call) => {
        if (context_id !== "ctx_1") throw missing();
        call.reply.version = 3;
        return { context: stored };
      },
      updateContext: async (_request, call) => {
        seen = { ifMatch: call.ifMatch, deadlineMs: call.deadlineMs };
        if (call.ifMatch !== undefined && call.ifMatch !== "*" && !call.ifMatch.includes("3")) throw stale();
        call.reply.version = 4;
        return { context: stored };
      },
      deleteContext: async () => {
        throw conflict("state");
      },
      listContexts: async ({ page_size }) => ({
        items: [{ ...stored, stack_order: page_size ?? -1 }],
        next_page_token: undefined,
      }),
    },
  });
  token = await gateway.identity.token({});
});
afterAll(() => gateway.close());

const as = (request: RawRequest) =>
  send(gateway.port, { ...request, headers: { authorization: `Bearer ${token}`, ...request.headers } });
const post = (body: unknown, headers: Record<string, string> = {}) =>
  as({
    method: "POST",
    path: "/api/core/contexts",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const detail = (type: string, loc: string[], msg: string, input: unknown = null, ctx: object = {}) => ({
  detail: [{ type, loc, msg, input, ctx }],
});

describe("an operation", () => {
  test("that creates answers 201, the resource, where it is and its version", async () => {
    const answer = await post(house);
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual(JSON.parse(JSON.stringify(context)));
    expect(answer.headers).toMatchObject({
      location: "/api/core/contexts/ctx_1",
      etag: '"1"',
      "cache-control": "no-store",
    });
  });

  test("gives absent values as null, query values their kinds", async () => {
    const answer = await as({ path: "/api/core/contexts?page_size=7" });
    expect(answer.json).toEqual({
      items: [{ ...JSON.parse(JSON.stringify(context)), stack_order: 7 }],
      next_page_token: null,
    });
  });

  test("has a deadline of 10 s if it writes", async () => {
    await post(house);
    expect((seen?.deadlineMs ?? 0) - Date.now()).toBeGreaterThan(8_000);
    expect((seen?.deadlineMs ?? 0) - Date.now()).toBeLessThan(10_000);
  });

  test("answers HEAD like GET, without the body", async () => {
    const answer = await as({ method: "HEAD", path: "/api/core/contexts/ctx_1" });
    expect(answer).toMatchObject({ status: 200, text: "" });
    expect(answer.headers).toMatchObject({ etag: '"3"' });
  });

  test("answers OPTIONS with what the path takes, to anybody", async () => {
    const answer = await send(gateway.port, { method: "OPTIONS", path: "/api/core/contexts/ctx_1" });
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
      const answer = await send(gateway.port, request);
      expect(answer).toMatchObject({ status: 401, json: unauthenticated });
      expect(answer.headers["www-authenticate"]).toBe('Bearer realm="assistant"');
    }
  });

  test("a token that is none, of another key or expired is told apart from no token", async () => {
    const expired = await gateway.identity.token({}, { exp: 1 });
    for (const authorization of ["Bearer", "Bearer nope", "bearer a b", `Bearer ${expired}`, `Bearer ${token}x`]) {
      const answer = await send(gateway.port, { path: "/api/core/contexts", headers: { authorization } });
      expect(answer.status).toBe(401);
      expect(answer.json).toMatchObject({ detail: [{ ctx: { error: "invalid_token" } }] });
      expect(answer.headers["www-authenticate"]).toMatch(/^Bearer .*error="invalid_token"/);
    }
    const other = await send(gateway.port, { path: "/api/core/contexts", headers: { authorization: "Basic dTpw" } });
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
    const { exchangeBytes } = await import("./testing/raw.js");
    const text = JSON.stringify(house);
    const head = (authorization: string) =>
      `POST /api/core/contexts HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n${authorization}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`;
    const refused = await exchangeBytes(gateway.port, head(""));
    expect(refused).toMatch(/^HTTP\/1.1 401 /);
    const taken = await exchangeBytes(gateway.port, `${head(`Authorization: Bearer ${token}\r\n`)}${text}`);
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

describe("headers", () => {
  test("name each request: the client's name if it has the form, else one of ours", async () => {
    expect(
      (await as({ path: "/api/core/contexts/ctx_1", headers: { "x-request-id": "a.B-9_" } })).headers["x-request-id"],
    ).toBe("a.B-9_");
    const made = (await as({ path: "/nowhere", headers: { "x-request-id": "bad id!" } })).headers["x-request-id"];
    expect(made).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("hand the trace on, or begin one where it has the wrong form", async () => {
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    await post(house, { traceparent });
    expect(seen?.traceparent?.slice(0, 35)).toBe(traceparent.slice(0, 35));
    await post(house, { traceparent: "00-zz-1" });
    expect(seen?.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
  });

  test("If-None-Match with the version answers 304 without a body", async () => {
    for (const tag of ['"3"', 'W/"3"', '"1", "3"', "*"]) {
      const answer = await as({ path: "/api/core/contexts/ctx_1", headers: { "if-none-match": tag } });
      expect(answer).toMatchObject({ status: 304, text: "" });
      expect(answer.headers).toMatchObject({ etag: '"3"', "cache-control": "private, no-cache" });
    }
    expect(await as({ path: "/api/core/contexts/ctx_1", headers: { "if-none-match": '"4"' } })).toMatchObject({
      status: 200,
    });
  });

  test("If-Match is handed on; another version is 412, a malformed one 400", async () => {
    const put = (tag: string) =>
      as({
        method: "PUT",
        path: "/api/core/contexts/ctx_1",
        headers: { "content-type": "application/json", "if-match": tag },
        body: "{}",
      });
    expect(await put('"3"')).toMatchObject({ status: 200 });
    expect(seen?.ifMatch).toEqual(["3"]);
    expect(await put('"1", "3"')).toMatchObject({ status: 200 });
    expect(await put("*")).toMatchObject({ status: 200 });
    expect(await put('"0000"')).toMatchObject({
      status: 412,
      json: detail("precondition_failed", ["header", "if-match"], "Precondition Failed", '"0000"'),
    });
    expect(await put('W/"3"')).toMatchObject({ status: 412 });
    for (const tag of ["3", '"3', "x, y", ""]) {
      expect(await put(tag)).toMatchObject({
        status: 400,
        json: detail("bad_request", ["header", "if-match"], "Invalid header value", tag, { reason: "header" }),
      });
    }
  });

  test("Idempotency-Key has 1 to 255 characters, and a stored answer says that it is one", async () => {
    expect(await post(house, { "idempotency-key": "k".repeat(255) })).toMatchObject({ status: 201 });
    expect(seen?.key).toBe("k".repeat(255));
    for (const key of ["", "k".repeat(256)]) {
      expect(await post(house, { "idempotency-key": key })).toMatchObject({
        status: 400,
        json: { detail: [{ loc: ["header", "idempotency-key"] }] },
      });
    }
    expect((await post(house, { "idempotency-key": "again" })).headers["idempotency-replayed"]).toBe("true");
    expect((await post(house)).headers["idempotency-replayed"]).toBeUndefined();
  });

  test("of every answer keep browsers from guessing and say nothing of what we run", async () => {
    const answer = await as({ path: "/api/core/contexts/ctx_1" });
    expect(answer.headers).toMatchObject({ "x-content-type-options": "nosniff", "content-type": "application/json" });
    expect(answer.headers["x-powered-by"]).toBeUndefined();
    expect(answer.headers["strict-transport-security"]).toBeUndefined();
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });

  test("Prefer handling=strict refuses what is unknown, query before body, as sent", async () => {
    const request = {
      method: "POST",
      path: "/api/core/contexts?zzz=1",
      body: `{"b":1,${JSON.stringify(house).slice(1, -1)},"2":[1]}`,
    };
    const headers = { "content-type": "application/json", prefer: "respond-async, handling=strict" };
    expect(await as({ ...request, headers })).toMatchObject({
      status: 422,
      json: { detail: [{ loc: ["query", "zzz"], input: "1" }, { loc: ["body", "b"] }, { loc: ["body", "2"] }] },
    });
    expect((await as({ ...request, headers: { "content-type": "application/json" } })).status).toBe(201);
    expect((await post(house, { prefer: "handling=strict" })).headers["preference-applied"]).toBe("handling=strict");
  });
});
