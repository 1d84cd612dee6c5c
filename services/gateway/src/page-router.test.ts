import { createLog } from "@assistant/kit/process/log.js";
import { until } from "@assistant/kit/testing/until.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { startTestGateway, type TestGateway } from "./testing/gateway.js";
import { send } from "./testing/raw.js";
import { startUpstream, type Upstream } from "./testing/upstream.js";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const lines: string[] = [];

let upstream: Upstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream((_arrival, response) => response.end("<h1>page</h1>"));
  const log = createLog("gateway", "0", "info", { write: (line) => lines.push(line) });
  gateway = await startTestGateway({ pagesUrl: upstream.url, log });
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});
beforeEach(() => {
  upstream.arrived.length = 0;
  lines.length = 0;
});

describe("a page", () => {
  test("is one of the exact paths: nothing beside them gets there", async () => {
    for (const path of [
      "/api/core/saml/acsx",
      "/api/core/saml/acs/",
      "/api/core/saml/ACS",
      "/api/core/saml/%61cs",
      "//api/core/saml/acs",
      "/api/core/saml",
      "/login/magic/x",
      "/login/style.css",
      "/login/style.0123456789abcdef.css/x",
      "/login/..%2fmagic",
      "/login",
      "/%",
      "/login/%ff",
      "/login/%E0%A4%A",
    ]) {
      for (const method of ["GET", "POST"]) {
        const { status } = await send(gateway.port, { method, path, headers: { accept: "text/html" } });
        expect({ path, status }).toEqual({ path, status: 401 });
      }
    }
    expect(upstream.arrived).toEqual([]);
    await send(gateway.port, { path: "/login/style.0123456789abcdef.css" });
    await send(gateway.port, { path: "http://elsewhere.example/login/magic?x=1" });
    expect(upstream.arrived.map(({ url }) => url)).toEqual(["/login/style.0123456789abcdef.css", "/login/magic?x=1"]);
  });

  test("takes HEAD like GET, refuses other methods with Allow, and needs no token", async () => {
    expect(await send(gateway.port, { method: "HEAD", path: "/login/magic" })).toMatchObject({ status: 200, text: "" });
    const allow = "GET, HEAD, POST, OPTIONS";
    const options = await send(gateway.port, { method: "OPTIONS", path: "/login/magic" });
    expect(options).toMatchObject({ status: 204, headers: { allow } });
    const refused = await send(gateway.port, { method: "DELETE", path: "/login/magic" });
    expect(refused).toMatchObject({ status: 405, headers: { allow } });
    expect(await send(gateway.port, { path: "/api/core/saml/acs" })).toMatchObject({
      status: 405,
      headers: { allow: "POST, OPTIONS" },
    });
    expect(upstream.arrived.map(({ method }) => method)).toEqual(["HEAD"]);
  });

  test("that does something when it is asked for takes no HEAD, and says so", async () => {
    for (const [path, allow] of [
      ["/api/core/saml/login", "GET, OPTIONS"],
      ["/api/core/saml/complete?code=c", "GET, OPTIONS"],
      ["/api/core/saml/slo?SAMLRequest=r", "GET, POST, OPTIONS"],
    ] as const) {
      expect(await send(gateway.port, { method: "HEAD", path })).toMatchObject({ status: 405, headers: { allow } });
      expect(await send(gateway.port, { method: "OPTIONS", path })).toMatchObject({ status: 204, headers: { allow } });
    }
    expect(upstream.arrived).toEqual([]);
  });

  test("at / is for those who prefer HTML; all others need a token, as everywhere", async () => {
    const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    expect(await send(gateway.port, { path: "/?x=1", headers: { accept: browser } })).toMatchObject({ status: 200 });
    for (const accept of ["*/*", "application/json", "text/html;q=0.1, application/json", "image/png", ""]) {
      const answered = await send(gateway.port, { path: "/", headers: { accept } });
      expect(answered).toMatchObject({ status: 401, json: { detail: [{ type: "unauthenticated" }] } });
    }
    const posted = await send(gateway.port, { method: "POST", path: "/", headers: { accept: browser } });
    expect(posted).toMatchObject({ status: 401 });
    for (const path of ["/", "/login/style.0123456789abcdef.css"]) {
      const asked = await send(gateway.port, { method: "OPTIONS", path, headers: { accept: browser } });
      expect(asked).toMatchObject({ status: 401, headers: { "x-content-type-options": "nosniff" } });
    }
    await send(gateway.port, { path: "http://elsewhere.example", headers: { accept: browser } });
    await send(gateway.port, { path: "http://elsewhere.example?x=2", headers: { accept: browser } });
    expect(upstream.arrived.map(({ url }) => url)).toEqual(["/?x=1", "/", "/?x=2"]);
  });

  test("leaves a line in the log without its query, its form and its cookies", async () => {
    const path = "/api/core/saml/complete?code=secret-code";
    await send(gateway.port, { path, headers: { cookie: "refresh=secret-cookie" } });
    await send(gateway.port, { method: "POST", path: "/login/magic", headers: FORM, body: "token=secret-token" });
    await until(() => lines.length === 2);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ route: "/api/core/saml/complete", status: 200 });
    expect(lines.join()).not.toContain("secret");
  });
});

test("windows are kept for each address and class", async () => {
  const perMinute = { login: 1, acs: 2, consume: 1 };
  const strict = await startTestGateway({ pagesUrl: upstream.url, trustedProxies: ["127.0.0.1"], perMinute });
  try {
    const ask = async (method: string, path: string, address = "192.0.2.1") => {
      const headers = { ...FORM, "x-forwarded-for": address };
      return (await send(strict.port, { method, path, headers })).status;
    };
    expect(await ask("GET", "/api/core/saml/login")).toBe(200);
    expect(await ask("GET", "/api/core/saml/login")).toBe(429);
    expect(await ask("GET", "/api/core/saml/login", "192.0.2.2")).toBe(200);
    expect(await ask("POST", "/api/core/saml/acs")).toBe(200);
    expect(await ask("GET", "/api/core/saml/complete")).toBe(200);
    expect(await ask("POST", "/api/core/saml/slo")).toBe(429);
    expect(await ask("GET", "/login/magic")).toBe(200);
    expect(await ask("POST", "/login/magic")).toBe(200);
    expect(await ask("POST", "/login/magic")).toBe(429);
    expect(await ask("GET", "/login/magic")).toBe(200);
    expect(await ask("POST", "/login/magic", "2001:db8::1")).toBe(200);
    expect(await ask("POST", "/login/magic", "2001:db8::2")).toBe(429);
    expect(await ask("POST", "/login/magic", "2001:db8:0:1::1")).toBe(200);
  } finally {
    await strict.close();
  }
});
