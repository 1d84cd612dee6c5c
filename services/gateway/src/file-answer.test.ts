import type { Favicon, GetFaviconResponse } from "@assistant/proto/assistant/identity/v1/favicons.js";
import { SettingsServiceService as settings } from "@assistant/proto/assistant/identity/v1/settings_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { file } from "./route.js";
import { routes } from "./routes.js";
import { detail } from "./testing/client.js";
import { startTestGateway, type TestGateway } from "./testing/gateway.js";
import { type RawAnswer, send } from "./testing/raw.js";

const image = Buffer.from("<svg/>");
const favicon: Favicon = {
  content_type: "FAVICON_TYPE_SVG",
  data: "PHN2Zy8+",
  sha256: "ab",
  etag: "tag1",
  url: "https://a.example",
};
const found: GetFaviconResponse = { file: { media_type: "image/svg+xml", content: image, etag: "tag1" }, favicon };

const metadata = file("/metadata", settings.getFavicon, {
  file: "file",
  media: ["application/samlmetadata+xml", "application/xml"],
  namedByClient: true,
  open: true,
  alias: true,
});

let gateway: TestGateway;
let token: string;

beforeAll(async () => {
  const getFavicon = async () => found;
  gateway = await startTestGateway({ routes: [...routes, metadata], settings: { getFavicon } });
  token = await gateway.identity.token({});
});

afterAll(() => gateway.close());

function ask(accept: string | undefined, headers: Record<string, string> = {}, method = "GET"): Promise<RawAnswer> {
  const authorization = `Bearer ${token}`;
  const path = "/api/core/platform_settings/favicon";
  return send(gateway.port, {
    method,
    path,
    headers: { authorization, ...(accept === undefined ? {} : { accept }), ...headers },
  });
}

describe("a file", () => {
  test("goes out as its bytes, which a browser neither guesses about nor runs", async () => {
    const answer = await ask("image/*");
    expect(answer).toMatchObject({ status: 200, text: "<svg/>" });
    expect(answer.headers).toMatchObject({
      "content-type": "image/svg+xml",
      "content-length": "6",
      etag: '"tag1"',
      vary: "Accept",
      "cache-control": "private, no-cache",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
    });
  });

  test("goes to those who prefer such media, JSON to those who prefer that or take anything", async () => {
    const preferring = [
      "image/svg+xml",
      "image/*",
      "image/*, */*;q=0.8",
      "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5",
      "application/json;q=0.4, image/*;q=0.5",
      "IMAGE/SVG+XML",
      // An image is asked for, if another one.
      "image/png",
    ];
    for (const accept of preferring) {
      expect({ accept, type: (await ask(accept)).headers["content-type"] }).toEqual({ accept, type: "image/svg+xml" });
    }
    const others = [undefined, "*/*", "application/json", "image/*;q=0.4, application/json;q=0.5", "image/*;q=0, */*"];
    for (const accept of [...others, "text/html", "", "nonsense", "image/svg+xml;q=0"]) {
      expect({ accept, type: (await ask(accept)).headers["content-type"] }).toEqual({
        accept,
        type: "application/json",
      });
    }
  });

  test("has as JSON a tag of its own", async () => {
    const answer = await ask("application/json");
    expect(answer).toMatchObject({ status: 200, json: { ...favicon, content_type: "image/svg+xml" } });
    expect(answer.headers).toMatchObject({ etag: '"tag1.json"', vary: "Accept" });
    expect(answer.headers["content-security-policy"]).toBeUndefined();
  });

  test("that the client has already is 304 without a body", async () => {
    for (const tag of ['"tag1"', 'W/"tag1"', '"x", "tag1"', "*"]) {
      const answer = await ask("image/*", { "if-none-match": tag });
      expect(answer).toMatchObject({ status: 304, text: "" });
      expect(answer.headers).toMatchObject({ etag: '"tag1"', vary: "Accept", "cache-control": "private, no-cache" });
    }
    expect(await ask("application/json", { "if-none-match": '"tag1.json"' })).toMatchObject({ status: 304 });
    expect(await ask("application/json", { "if-none-match": '"tag1"' })).toMatchObject({ status: 200 });
    expect(await ask("image/*", { "if-none-match": '"tag1.json"' })).toMatchObject({ status: 200 });
    const input = "tag1";
    expect(await ask("image/*", { "if-none-match": input })).toMatchObject({
      status: 400,
      json: detail("bad_request", ["header", "if-none-match"], "Invalid header value", input, { reason: "header" }),
    });
  });

  test("has a HEAD with the headers alone", async () => {
    const answer = await ask("image/*", {}, "HEAD");
    expect(answer).toMatchObject({ status: 200, text: "" });
    expect(answer.headers).toMatchObject({ "content-length": "6", etag: '"tag1"', "content-type": "image/svg+xml" });
  });

  test("varies by origin too where pages elsewhere may call", async () => {
    const corsOrigins = ["https://app.example"];
    const open = await startTestGateway({ corsOrigins, settings: { getFavicon: async () => found } });
    const headers = {
      authorization: `Bearer ${await open.identity.token({})}`,
      accept: "image/*",
      origin: "https://app.example",
    };
    const answer = await send(open.port, { path: "/api/core/platform_settings/favicon", headers });
    await open.close();
    expect(answer.headers).toMatchObject({
      vary: "Origin, Accept",
      "access-control-allow-origin": "https://app.example",
    });
  });

  test("needs the bearer: 401 without, as JSON", async () => {
    const answer = await send(gateway.port, {
      path: "/api/core/platform_settings/favicon",
      headers: { accept: "image/*" },
    });
    expect(answer).toMatchObject({ status: 401, json: { detail: [{ type: "unauthenticated" }] } });
    expect(answer.headers["etag"]).toBeUndefined();
  });
});

test("the API document tells what the bytes may be, and of the JSON where there is one", async () => {
  const { json } = await send(gateway.port, { path: "/openapi.json" });
  // The document has every row of the table.
  const { paths } = json as { paths: Record<string, { get: { operationId: string; responses: object } }> };
  const image = { "image/svg+xml": {}, "image/png": {}, "image/x-icon": {} };
  expect(paths["/api/core/platform_settings/favicon"]?.get).toMatchObject({
    operationId: "getFavicon",
    responses: {
      200: { content: { "application/json": { schema: { $ref: "#/components/schemas/Favicon" } }, ...image } },
      304: {},
    },
  });
  expect(paths["/favicon.ico"]?.get).toMatchObject({ operationId: "getFaviconAlias", security: [] });
  expect(paths["/favicon.ico"]?.get.responses).toMatchObject({ 200: { content: image }, 304: {} });
  expect(JSON.stringify(paths["/favicon.ico"]?.get.responses)).not.toContain("schemas/File");
});

describe("an alias", () => {
  const alias = (headers: Record<string, string> = {}, path = "/favicon.ico") => send(gateway.port, { path, headers });

  test("serves the same bytes to anybody, whatever they accept", async () => {
    for (const accept of ["*/*", "application/json", "image/*"]) {
      const answer = await alias({ accept });
      expect(answer).toMatchObject({ status: 200, text: "<svg/>" });
      expect(answer.headers).toMatchObject({ etag: '"tag1"', "cache-control": "public, max-age=300" });
      expect(answer.headers["vary"]).toBeUndefined();
    }
  });

  test("names the bytes as the client prefers, by the last name where it takes none", async () => {
    const names: readonly (readonly [string, string])[] = [
      ["*/*", "application/samlmetadata+xml"],
      ["application/*", "application/samlmetadata+xml"],
      ["application/xml", "application/xml"],
      ["text/html,application/xml;q=0.9,*/*;q=0.8", "application/xml"],
      ["application/xml;q=0.1,application/samlmetadata+xml", "application/samlmetadata+xml"],
      ["text/html", "application/xml"],
      ["application/samlmetadata+xml;q=0", "application/xml"],
    ];
    for (const [accept, type] of names) {
      const answer = await alias({ accept }, "/metadata");
      expect({ accept, type: answer.headers["content-type"] }).toEqual({ accept, type });
      expect(answer.headers).toMatchObject({ vary: "Accept", "cache-control": "no-store" });
    }
  });

  test("is known by its mark, so that an operator can close it: then it is as unknown as any path", async () => {
    expect(routes.filter((row) => row.alias).map(({ path }) => path)).toContain("/favicon.ico");
    const closed = await startTestGateway({ routes: routes.filter((row) => !row.alias) });
    const headers = { authorization: `Bearer ${await closed.identity.token({})}` };
    const answer = await send(closed.port, { path: "/favicon.ico", headers });
    await closed.close();
    expect(answer).toMatchObject({ status: 404 });
  });
});

test("what holds no file makes no such row", () => {
  // @ts-expect-error `favicon` is no file.
  file("/favicon.ico", settings.getFavicon, { file: "favicon", media: ["image/png"] });
  // @ts-expect-error The JSON is no file.
  file("/favicon.ico", settings.getFavicon, { file: "file", json: "file", media: ["image/png"] });
  // @ts-expect-error The response has no such field.
  file("/favicon.ico", settings.getFavicon, { file: "icon", media: ["image/png"] });
  expect.assertions(0);
});
