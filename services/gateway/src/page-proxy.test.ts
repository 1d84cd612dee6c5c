import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { createLog } from "@assistant/kit/process/log.js";
import { until } from "@assistant/kit/testing/until.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { startTestGateway, type TestGateway } from "./testing/gateway.js";
import { exchangeBytes, send } from "./testing/raw.js";
import { type Answering, startUpstream, type Upstream } from "./testing/upstream.js";

const ACS_BYTES_MAX = 393_216;
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const asPage: Answering = (_arrival, response) => {
  response.writeHead(200, { "content-type": "text/html" }).end("<h1>page</h1>");
};

let answer: Answering = asPage;
let upstream: Upstream;
let gateway: TestGateway;
const lines: string[] = [];
let onStart: ((request: { once(event: "close", listener: () => void): unknown }) => void) | undefined;

beforeAll(async () => {
  upstream = await startUpstream(
    (arrival, response) => answer(arrival, response),
    (request) => onStart?.(request),
  );
  gateway = await startTestGateway({
    pagesUrl: upstream.url,
    pageSilenceMs: 200,
    publicUrl: "https://assistant.example",
    trustedProxies: ["127.0.0.1"],
    log: createLog("gateway", "0", "info", { write: (line) => lines.push(line) }),
  });
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});
beforeEach(() => {
  answer = asPage;
  onStart = undefined;
  upstream.arrived.length = 0;
  lines.length = 0;
});

const lastArrival = () => {
  const arrival = upstream.arrived.at(-1);
  if (arrival === undefined) throw new Error("nothing arrived");
  return arrival;
};

describe("a page", () => {
  test("gets the request as it came, octet by octet, and its answer comes back as it is", async () => {
    answer = (_arrival, response) => {
      const headers = { location: "/there?a='b'", "set-cookie": ["one=1; HttpOnly", "two=2"], "x-extra": "kept" };
      response.writeHead(303, headers).end("gone");
    };
    const path = "/api/core/saml/slo?SAMLRequest=a%2Bb%2f'|&RelayState={x}&SigAlg=//?&Signature=";
    const answered = await send(gateway.port, { path, headers: { cookie: "refresh=abc", "accept-language": "de" } });
    expect(lastArrival()).toMatchObject({ method: "GET", url: path, headers: { cookie: "refresh=abc" } });
    expect(answered).toMatchObject({ status: 303, text: "gone" });
    expect(answered.headers).toMatchObject({
      location: "/there?a='b'",
      "set-cookie": ["one=1; HttpOnly", "two=2"],
      "x-extra": "kept",
      "strict-transport-security": expect.any(String),
    });
  });

  test("learns who asks and under which name from us alone, whatever the client pretends", async () => {
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    const pretended = {
      forwarded: "for=6.6.6.6",
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "http",
      "x-forwarded-port": "1",
      "x-real-ip": "6.6.6.6",
      "x-original-url": "/elsewhere",
      "x-http-method-override": "DELETE",
      host: "evil.example",
      authorization: "Bearer secret",
      connection: "keep-alive, cookie",
      te: "trailers",
    };
    await send(gateway.port, {
      path: "/login/magic",
      headers: { ...pretended, "x-forwarded-for": "6.6.6.6, 9.9.9.9", "x-request-id": "r-1", traceparent },
    });
    const { headers } = lastArrival();
    expect(headers).toEqual({
      "x-forwarded-for": "9.9.9.9",
      "x-request-id": "r-1",
      traceparent,
      host: new URL(upstream.url).host,
      connection: "close",
    });
  });
});

describe("bodies", () => {
  test("arrive whole up to the limit: measured, in chunks, and asked for first", async () => {
    const body = randomBytes(ACS_BYTES_MAX);
    const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
    const post = (headers: Record<string, string>) =>
      send(gateway.port, { method: "POST", path: "/api/core/saml/acs", headers: { ...FORM, ...headers }, body });
    for (const headers of [{ "content-length": String(body.length) }, { "transfer-encoding": "chunked" }]) {
      expect(await post(headers)).toMatchObject({ status: 200 });
      expect(digest(lastArrival().body)).toBe(digest(body));
    }
    const asking = httpRequest({
      ...{ port: gateway.port, method: "POST", path: "/api/core/saml/acs", agent: false },
      headers: { ...FORM, expect: "100-continue", "content-length": body.length },
    });
    asking.flushHeaders();
    await once(asking, "continue");
    const answered = once(asking, "response");
    asking.end(body);
    const [{ statusCode }] = await answered;
    expect({ statusCode, digest: digest(lastArrival().body) }).toEqual({ statusCode: 200, digest: digest(body) });
  });

  test("over the limit are 413, told or counted, and never arrive", async () => {
    const cases = [
      { path: "/api/core/saml/acs", bytesMax: ACS_BYTES_MAX },
      { path: "/api/core/saml/slo", bytesMax: ACS_BYTES_MAX },
      { path: "/login/magic", bytesMax: 4_096 },
    ];
    for (const { path, bytesMax } of cases) {
      const body = Buffer.alloc(bytesMax + 1, "a");
      for (const headers of [{}, { "transfer-encoding": "chunked" }]) {
        const answered = await send(gateway.port, { method: "POST", path, headers: { ...FORM, ...headers }, body });
        expect(answered).toMatchObject({
          status: 413,
          json: { detail: [{ type: "payload_too_large", loc: ["body"], ctx: { max_bytes: bytesMax } }] },
        });
      }
    }
    expect(upstream.arrived).toEqual([]);
  });

  test("of a GET are framed as they came, so that nothing in them is a request of its own", async () => {
    const smuggled = "GET /api/core/saml/complete?code=x HTTP/1.1\r\nHost: x\r\n\r\n";
    const head = "GET /login/magic HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
    await exchangeBytes(gateway.port, `${head}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`);
    const chunk = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
    await exchangeBytes(gateway.port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`);
    expect(upstream.arrived.map(({ url }) => url)).toEqual(["/login/magic", "/login/magic"]);
    const both = `${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`;
    expect(await exchangeBytes(gateway.port, both)).toMatch(/^HTTP\/1.1 400 /);
  });
});

describe("where identity does not answer", () => {
  const problem = (type: string, retryAfter: object = {}) => ({
    detail: [{ type, loc: [], input: null, ctx: { request_id: "r-9", ...retryAfter } }],
  });
  const ask = (path = "/login/magic") => send(gateway.port, { path, headers: { "x-request-id": "r-9" } });

  test("silence is 504, in the middle of an answer it breaks off", async () => {
    answer = () => undefined;
    expect(await ask()).toMatchObject({ status: 504, json: problem("deadline_exceeded") });
    answer = (_arrival, response) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("begun");
    };
    await expect(ask()).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  test("a broken connection is 502, in the middle of an answer too it breaks off", async () => {
    answer = (_arrival, response) => {
      response.destroy();
    };
    expect(await ask()).toMatchObject({ status: 502, json: problem("bad_gateway") });
    answer = (_arrival, response) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("begun", () => response.destroy());
    };
    await expect(ask()).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  test("nobody there is 503 and says when to come again", async () => {
    const gone = await startUpstream(asPage);
    await gone.close();
    const lonely = await startTestGateway({ pagesUrl: gone.url });
    try {
      const headers = { "x-request-id": "r-9" };
      const answered = await send(lonely.port, { path: "/login/magic", headers });
      expect(answered).toMatchObject({ status: 503, json: problem("unavailable", { retry_after: 1 }) });
      expect(answered.headers["retry-after"]).toBe("1");
      const posted = { method: "POST", path: "/login/magic", headers: { ...headers, ...FORM }, body: "a=b" };
      expect(await send(lonely.port, posted)).toMatchObject({ status: 503 });
    } finally {
      await lonely.close();
    }
  });

  test("a client that goes away takes its request with it", async () => {
    let isClosed = false;
    answer = () => undefined;
    onStart = (request) => request.once("close", () => (isClosed = true));
    const socket = connect(gateway.port, "127.0.0.1");
    socket.write("GET /login/magic HTTP/1.1\r\nHost: x\r\n\r\n");
    await until(() => upstream.arrived.length === 1);
    socket.destroy();
    await until(() => isClosed);
    await until(() => lines.some((line) => line.includes('"status":499')));
  });
});

test("a gateway that stops lets a page end, and sends its client elsewhere", async () => {
  let finish: () => void = () => undefined;
  answer = (arrival, response) => {
    finish = () => asPage(arrival, response);
  };
  const ending = await startTestGateway({ pagesUrl: upstream.url });
  const ask = () => send(ending.port, { path: "/login/magic", headers: { connection: "keep-alive" } });
  const first = ask();
  await until(() => upstream.arrived.length === 1);
  finish();
  expect(await first).toMatchObject({ status: 200, headers: { connection: "keep-alive" } });
  const last = ask();
  await until(() => upstream.arrived.length === 2);
  const stopped = ending.http.stop(5_000);
  finish();
  expect(await last).toMatchObject({ status: 200 });
  await stopped;
  await ending.close();
});
