import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { until } from "@assistant/kit/testing/until.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startTestGateway, type TestGateway } from "./testing/gateway.js";
import { exchangeBytes, send } from "./testing/raw.js";

let gateway: TestGateway;
let token: string;
let aborted: Promise<unknown> | undefined;
let arrived: () => void = () => undefined;
let finish: () => void = () => undefined;

const stored = { id: "ctx_1", title: "t", category_id: "c", context: "x", stack_order: 0 };

beforeAll(async () => {
  gateway = await startTestGateway({
    publicUrl: "https://assistant.example",
    corsOrigins: ["https://app.example"],
    contexts: {
      getContext: async ({ context_id }, call) => {
        if (context_id === "slow") {
          aborted = once(call.signal, "abort");
          await new Promise<void>((resolve) => {
            finish = resolve;
            arrived();
          });
        }
        return { context: stored };
      },
    },
  });
  token = await gateway.identity.token({});
});
afterAll(() => gateway.close());

const get = (path: string, extra = "") =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${extra}\r\n`;
const post = () =>
  `POST /api/core/contexts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));

describe("what is no proper HTTP gets the one error body where HTTP lets it", () => {
  test("garbage, an unknown method, a broken header", async () => {
    for (const bytes of [
      "garbage\r\n\r\n",
      "FOO / HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n",
    ]) {
      const answer = await exchangeBytes(gateway.port, bytes);
      expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
      expect(bodyOf(answer)).toMatchObject({ detail: [{ type: "bad_request", ctx: { reason: "http" } }] });
    }
  });

  test("headers over 16 KiB are 431, a URL over 8 KiB is 414", async () => {
    const headers = await exchangeBytes(gateway.port, get("/livez", `X-Long: ${"a".repeat(17_000)}\r\n`));
    expect(headers).toMatch(/^HTTP\/1.1 431 /);
    expect(bodyOf(headers)).toMatchObject({ detail: [{ type: "payload_too_large", ctx: { max_bytes: 16_384 } }] });
    const url = await send(gateway.port, { path: `/livez?${"a".repeat(8_192)}` });
    expect(url).toMatchObject({ status: 414, json: { detail: [{ type: "payload_too_large", loc: ["path"] }] } });
    expect(await send(gateway.port, { path: `/livez?${"a".repeat(8_185)}` })).toMatchObject({ status: 200 });
  });

  test("a body whose chunks are broken is 400", async () => {
    const bytes = `${post()}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`;
    const answer = await exchangeBytes(gateway.port, bytes);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(bodyOf(answer)).toMatchObject({ detail: [{ type: "bad_request" }] });
  });

  test("a tunnel is refused", async () => {
    const answer = await exchangeBytes(gateway.port, "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1.1 405 /);
  });

  test("a request without a host is 400", async () => {
    const answer = await exchangeBytes(gateway.port, "GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*X-Request-Id: /);
    expect(bodyOf(answer)).toMatchObject({ detail: [{ type: "bad_request", loc: ["header", "host"], input: null }] });
  });

  test("an expectation that we do not know is 400", async () => {
    expect(await send(gateway.port, { path: "/livez", headers: { expect: "magic" } })).toMatchObject({
      status: 400,
      json: { detail: [{ loc: ["header", "expect"], input: "magic" }] },
    });
  });
});

describe("connections", () => {
  test("pipelined requests are answered in their order, and what breaks after them last", async () => {
    const answer = await exchangeBytes(
      gateway.port,
      `${get("/api/core/contexts/ctx_1")}${get("/nowhere")}garbage\r\n\r\n`,
    );
    expect(answer.match(/HTTP\/1\.1 (\d+)/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 404", "HTTP/1.1 400"]);
  });

  test("a client that goes away cancels the call", async () => {
    const reached = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const outgoing = httpRequest({
      port: gateway.port,
      path: "/api/core/contexts/slow",
      headers: { authorization: `Bearer ${token}` },
    });
    outgoing.on("error", () => undefined);
    outgoing.end();
    await reached;
    outgoing.destroy();
    await aborted;
    finish();
  });

  test("a client that goes away while it sends its body leaves nothing behind", async () => {
    const socket = connect(gateway.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(`${post()}Content-Length: 100\r\n\r\n{`);
    socket.destroy();
    expect(await send(gateway.port, { path: "/livez" })).toMatchObject({ status: 200 });
  });
});

describe("behind TLS and for browsers", () => {
  test("every answer asks for TLS from now on", async () => {
    const answer = await send(gateway.port, { path: "/livez" });
    expect(answer.headers["strict-transport-security"]).toMatch(/^max-age=\d+/);
  });

  test("only listed origins may read answers and ask what they may send", async () => {
    const preflight = { method: "OPTIONS", path: "/api/core/contexts" };
    const asking = { "access-control-request-method": "POST", "access-control-request-headers": "authorization" };
    const listed = await send(gateway.port, { ...preflight, headers: { origin: "https://app.example", ...asking } });
    expect(listed).toMatchObject({ status: 204 });
    expect(listed.headers).toMatchObject({
      "access-control-allow-origin": "https://app.example",
      "access-control-allow-methods": "POST, GET, HEAD, OPTIONS",
      vary: "Origin",
    });
    expect(listed.headers["access-control-allow-credentials"]).toBeUndefined();
    const other = await send(gateway.port, { ...preflight, headers: { origin: "https://evil.example", ...asking } });
    expect(other.headers["access-control-allow-origin"]).toBeUndefined();
    expect(other.headers["vary"]).toBe("Origin");
    const failed = await send(gateway.port, { path: "/nowhere", headers: { origin: "https://app.example" } });
    expect(failed).toMatchObject({ status: 401 });
    expect(failed.headers["access-control-allow-origin"]).toBe("https://app.example");
  });
});

describe("the platform's own paths", () => {
  test("live and ready are told without a token; ready follows the services", async () => {
    expect(await send(gateway.port, { path: "/livez" })).toMatchObject({ status: 200, json: { status: "alive" } });
    const tells = (status: number, checks: object) => async () => {
      const answer = await send(gateway.port, { path: "/readyz" });
      return answer.status === status && isDeepStrictEqual(answer.json, checks);
    };
    const services = { identity: "ready", catalog: "ready", contexts: "ready", conversion: "ready" };
    const checks = { ...services, rates: "ready", revocations: "ready" };
    await until(tells(200, { status: "ready", checks }));
    gateway.services.setReady(false);
    const unready = Object.fromEntries(Object.keys(services).map((name) => [name, "unready"]));
    await until(tells(503, { status: "unready", checks: { ...checks, ...unready } }));
    gateway.services.setReady(true);
  });

  test("the reference page loads nothing from elsewhere", async () => {
    const page = await send(gateway.port, { path: "/docs" });
    expect(page.headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(page.text).not.toMatch(/https?:\/\//);
    for (const [, path = ""] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect(await send(gateway.port, { path })).toMatchObject({ status: 200 });
    }
  });
});

test("a stopping server lets running requests end and takes no new ones", async () => {
  const other = await startTestGateway({
    contexts: {
      getContext: () =>
        new Promise((resolve) => {
          finish = () => resolve({ context: stored });
          arrived();
        }),
    },
  });
  const reached = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const bearer = { authorization: `Bearer ${await other.identity.token({})}` };
  const running = send(other.port, { path: "/api/core/contexts/ctx_1", headers: bearer });
  await reached;
  const stopped = other.http.stop(5_000);
  await expect(send(other.port, { path: "/livez" })).rejects.toThrow("ECONNREFUSED");
  finish();
  expect(await running).toMatchObject({ status: 200 });
  await stopped;
  await other.close();
});
