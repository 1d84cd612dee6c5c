import { createLog } from "@assistant/kit/process/log.js";
import { exhausted, unavailable } from "@assistant/kit/wire/fault.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Router, urlencoded } from "express";
import { createPages } from "../pages/pages.js";
import { type Listener, startListener } from "./listener.js";
import { originOfVisit, visitOf } from "./visit.js";

const TRACE = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
const HTML = { accept: "text/html,*/*;q=0.8" };
const lines: string[] = [];
const log = createLog("identity", "0", "info", { write: (line) => lines.push(line) });

let listener: Listener;
let finish: (() => void) | undefined;

beforeAll(async () => {
  listener = await startListener({ ...face(["127.0.0.1"]), log });
});
afterAll(() => listener?.stop(1_000));
beforeEach(() => {
  lines.length = 0;
});

function face(trustedProxies: readonly string[]) {
  const router = Router({ caseSensitive: true, strict: true });
  router.get("/visit", (request, response) => {
    response.json([visitOf(request), visitOf(request), originOfVisit(request, "usr_a")]);
  });
  router.get("/slow", (_request, response) => {
    finish = () => response.end("done");
  });
  router.get("/bug", () => {
    throw new Error("secret cause");
  });
  router.get("/full", () => {
    throw exhausted(7);
  });
  router.get("/down", async () => {
    throw unavailable("secret cause");
  });
  router.get("/begun", (_request, response) => {
    response.write("begun");
    throw new Error("secret cause");
  });
  router.post("/form", urlencoded({ limit: 10 }), (_request, response) => {
    response.end("read");
  });
  const pages = createPages({ publicUrl: "https://assistant.example" });
  return { listen: "127.0.0.1:0", routers: [router], pages, trustedProxies };
}

const ask = (path: string, init?: RequestInit, { port } = listener) => fetch(`http://127.0.0.1:${port}${path}`, init);
const detailOf = async (answer: Response) => ({ status: answer.status, body: await answer.json() });
const detail = (type: string, loc: readonly string[], msg: string, ctx = {}) => ({
  detail: [{ type, loc, msg, input: null, ctx }],
});

describe("a visit", () => {
  test("says where it came from as the gateway names it, and keeps its names", async () => {
    const headers = { "x-forwarded-for": "192.0.2.7", "x-request-id": "r-1", traceparent: TRACE, "user-agent": "Fox" };
    const visit = {
      requestId: "r-1",
      traceparent: TRACE,
      client: { address: "192.0.2.7", userAgent: "Fox" },
    };
    const origin = { actorId: "usr_a", requestId: "r-1", traceparent: TRACE };
    expect(await (await ask("/visit", { headers })).json()).toEqual([visit, visit, origin]);
  });

  test("says it itself where no gateway is trusted, with names made up once and an agent cut short", async () => {
    const alone = await startListener({ ...face([]), log });
    try {
      const headers = { "x-forwarded-for": "192.0.2.7", "x-request-id": "no id!", "user-agent": "a".repeat(600) };
      const [first, again] = await (await ask("/visit", { headers }, alone)).json();
      expect(first.client).toEqual({ address: "127.0.0.1", userAgent: "a".repeat(512) });
      expect(first.requestId).toMatch(/^[0-9a-f-]{36}$/);
      expect(again).toEqual(first);
    } finally {
      await alone.stop(1_000);
    }
  });
});

describe("what fails", () => {
  test("is nothing but a page or a body: its cause is in the log alone, under the request's name", async () => {
    const headers = { "x-request-id": "r-9" };
    const bug = await ask("/bug", { headers: { ...HTML, ...headers } });
    expect(bug.status).toBe(500);
    expect(bug.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const page = await bug.text();
    expect(page).toContain("r-9");
    expect(page).not.toContain("secret");
    const found = JSON.parse(lines.find((line) => line.includes("request failed")) ?? "{}");
    expect(found).toMatchObject({ level: "error", request_id: "r-9", route: "/bug", err: { message: "secret cause" } });
    expect(await detailOf(await ask("/bug", { headers }))).toEqual({
      status: 500,
      body: detail("internal", [], "Internal Server Error", { request_id: "r-9" }),
    });
  });

  test("keeps the status that its kind has", async () => {
    const headers = { "x-request-id": "r-9" };
    const down = await ask("/down", { headers });
    expect(down.headers.get("retry-after")).toBe("1");
    expect(await detailOf(down)).toEqual({
      status: 503,
      body: detail("unavailable", [], "Service Unavailable", { retry_after: 1, request_id: "r-9" }),
    });
    const full = await ask("/full");
    expect(full.headers.get("retry-after")).toBe("7");
    expect(await detailOf(full)).toEqual({
      status: 429,
      body: detail("rate_limited", [], "Too Many Requests", { retry_after: 7 }),
    });
    expect((await ask("/full", { headers: HTML })).headers.get("retry-after")).toBe("7");
    for (const path of ["/nowhere", "/login/nothing.css", "/VISIT", "/visit/"]) {
      const body = detail("not_found", ["path"], "Not Found");
      expect({ path, ...(await detailOf(await ask(path))) }).toEqual({ path, status: 404, body });
    }
    expect((await ask("/%E4", { headers: HTML })).status).toBe(404);
  });

  test("is told of a form that is too large, and breaks off an answer that has begun", async () => {
    const post = (body: string) => ask("/form", { method: "POST", body: new URLSearchParams({ body }) });
    expect((await post("12345")).status).toBe(200);
    expect(await detailOf(await post("123456"))).toEqual({
      status: 413,
      body: detail("payload_too_large", ["body"], "Payload Too Large"),
    });
    await expect(ask("/begun").then((answer) => answer.text())).rejects.toThrow("fetch failed");
  });
});

test("the log has a line for each request, without its query and what it sends", async () => {
  const headers = { "x-request-id": "r-2", traceparent: TRACE, cookie: "refresh=secret" };
  await ask("/visit?token=secret", { headers });
  const [line = ""] = lines;
  expect(JSON.parse(line)).toMatchObject({
    ...{ msg: "request", request_id: "r-2", trace_id: "a".repeat(32), span_id: "b".repeat(16) },
    ...{ method: "GET", route: "/visit", status: 200, duration_ms: expect.any(Number) },
  });
  expect(line).not.toContain("secret");
});

test("a stop lets running requests end, and breaks off those that do not after the grace", async () => {
  const first = await startListener({ ...face([]), log });
  const answered = ask("/slow", {}, first);
  while (finish === undefined) await new Promise(setImmediate);
  const ended = first.stop(10_000);
  finish();
  expect(await (await answered).text()).toBe("done");
  await ended;
  await expect(ask("/visit", {}, first)).rejects.toThrow("fetch failed");

  finish = undefined;
  const second = await startListener({ ...face([]), log });
  const broken = ask("/slow", {}, second);
  const stopped = async () => {
    while (finish === undefined) await new Promise(setImmediate);
    await second.stop(0);
  };
  await Promise.all([stopped(), expect(broken).rejects.toThrow("fetch failed")]);
});

test("an address without a port is refused at the start", async () => {
  await expect(startListener({ ...face([]), listen: "50062", log })).rejects.toThrow("it is no host:port");
});
