import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { detail, house, startTestClient, type TestClient } from "./testing/client.js";

let client: TestClient;
let as: TestClient["as"];
let post: TestClient["post"];

beforeAll(async () => {
  client = await startTestClient();
  ({ as, post } = client);
});
afterAll(() => client.gateway.close());

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
    expect(client.seen().traceparent.slice(0, 35)).toBe(traceparent.slice(0, 35));
    await post(house, { traceparent: "00-zz-1" });
    expect(client.seen().traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
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
    expect(client.seen().ifMatch).toEqual(["3"]);
    expect(await put('"1", "3"')).toMatchObject({ status: 200 });
    expect(await put("*")).toMatchObject({ status: 200 });
    expect(await put('"0000"')).toMatchObject({
      status: 412,
      json: detail("precondition_failed", ["header", "if-match"], "Precondition Failed", '"0000"'),
    });
    expect(await put('W/"3"')).toMatchObject({ status: 412 });
    // A tag in quotes, however it reads, is no wildcard.
    expect(await put('"*"')).toMatchObject({ status: 412 });
    for (const tag of ["3", '"3', "x, y", ""]) {
      expect(await put(tag)).toMatchObject({
        status: 400,
        json: detail("bad_request", ["header", "if-match"], "Invalid header value", tag, { reason: "header" }),
      });
    }
  });

  test("as large as they may be reach the services: an agent cut, tags that name no version left out", async () => {
    const json = { "content-type": "application/json" };
    // As bytes: Node would write the headers as UTF-8 before a text.
    const created = { method: "POST", path: "/api/core/contexts", body: Buffer.from(JSON.stringify(house)) };
    const agent = "\u00ff".repeat(14_500);
    expect(await as({ ...created, headers: { ...json, "user-agent": agent } })).toMatchObject({ status: 201 });
    expect(client.seen().client?.userAgent).toBe(agent.slice(0, 512));
    const changed = { method: "PUT", path: "/api/core/contexts/ctx_1", body: Buffer.from("{}") };
    const tags = `"3", "${"\u00ff".repeat(14_500)}", "03", "1.0"`;
    expect(await as({ ...changed, headers: { ...json, "if-match": tags } })).toMatchObject({ status: 200 });
    expect(client.seen().ifMatch).toEqual(["3"]);
  });

  test("a list of tags is read once, however it is spread: no blanks keep the gateway busy", async () => {
    const request = { path: "/api/core/contexts/ctx_1" };
    for (const tags of [`"a"${" ,".repeat(3_000)}x`, `"a",${"\t".repeat(6_000)}x`]) {
      for (const [method, name] of [
        ["GET", "if-none-match"],
        ["DELETE", "if-match"],
      ] as const) {
        expect(await as({ ...request, method, headers: { [name]: tags } })).toMatchObject({
          status: 400,
          json: { detail: [{ type: "bad_request", loc: ["header", name] }] },
        });
      }
    }
    const spread = `"1"${" ,".repeat(3_000)} "3"`;
    expect((await as({ ...request, headers: { "if-none-match": spread } })).status).toBe(304);
  });

  test("are shown up to 1 KiB where they are wrong", async () => {
    const long = "a".repeat(3_000);
    const cut = `${"a".repeat(1_024)}…`;
    const request = { method: "DELETE", path: "/api/core/contexts/ctx_1" };
    expect((await as({ ...request, headers: { "if-match": long } })).json).toMatchObject({ detail: [{ input: cut }] });
    const headers = { "content-type": "application/json", "if-match": `"${long}"` };
    const quoted = await as({ ...request, method: "PUT", headers, body: "{}" });
    expect(quoted).toMatchObject({ status: 412, json: { detail: [{ input: `"${"a".repeat(1_023)}…` }] } });
    expect((await post(house, { "idempotency-key": long })).json).toMatchObject({ detail: [{ input: cut }] });
    expect((await post(house, { "content-type": long })).json).toMatchObject({ detail: [{ input: cut }] });
  });

  test("Idempotency-Key has 1 to 255 characters, and a stored answer says that it is one", async () => {
    expect(await post(house, { "idempotency-key": "k".repeat(255) })).toMatchObject({ status: 201 });
    expect(client.seen().idempotencyKey).toBe("k".repeat(255));
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
    expect((await post(house, { prefer: 'wait=1, handling="strict"; x' })).headers["preference-applied"]).toBeDefined();
    for (const prefer of ['foo="a,handling=strict"', "handling=lenient, handling=strict", "handling"]) {
      expect((await post(house, { prefer })).headers["preference-applied"]).toBeUndefined();
    }
  });

  test("Prefer handling=strict tells unknown parameters in the order in which they were sent", async () => {
    const headers = { prefer: "handling=strict" };
    const { json } = await as({ path: "/api/core/contexts?b=1&5=2&1=3", headers });
    expect(json).toMatchObject({ detail: [{ loc: ["query", "b"] }, { loc: ["query", "5"] }, { loc: ["query", "1"] }] });
  });
});
