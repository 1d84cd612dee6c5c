import { createLog } from "@assistant/kit/process/log.js";
import { refused } from "@assistant/kit/wire/fault.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startTestGateway, type TestGateway } from "./testing/gateway.js";
import { send } from "./testing/raw.js";

const SECRETS: ReadonlyMap<unknown, unknown> = new Map([
  ["sva_1", "right"],
  ["id: with % & +", 'ünï:c"ode\\ '],
]);

let gateway: TestGateway;
const lines: string[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({
    log: createLog("gateway", "0", "trace", { write: (line) => lines.push(line) }),
    tokens: {
      issueToken: async ({ client_id, client_secret, scope }) => {
        if (scope === "broken") throw new Error("a defect");
        if (SECRETS.get(client_id) !== client_secret) throw refused("invalid_client");
        return { access_token: "t", token_type: "Bearer", expires_in: 600, scope: "member" };
      },
    },
  });
});

afterAll(() => gateway.close());

const encoded = (pair: string | Buffer) => `Basic ${Buffer.from(pair).toString("base64")}`;
const ask = (authorization: string, fields: Record<string, string> = {}) =>
  send(gateway.port, {
    method: "POST",
    path: "/api/core/auth/token",
    headers: { "content-type": "application/x-www-form-urlencoded", authorization },
    body: new URLSearchParams({ grant_type: "client_credentials", ...fields }).toString(),
  });
const REFUSED = {
  status: 401,
  headers: { "www-authenticate": 'Basic realm="assistant"' },
  json: {
    error: "invalid_client",
    detail: [{ type: "invalid_client", loc: ["body"], msg: "Invalid client", input: null, ctx: {} }],
  },
};

describe("a client that proves itself by HTTP Basic", () => {
  test("gets a token, in whatever case the scheme is written", async () => {
    const authorization = encoded("sva_1:right");
    expect((await ask(authorization)).status).toBe(200);
    expect((await ask(authorization.replace("Basic ", "bASIC   "))).status).toBe(200);
    expect((await ask(authorization.replace(/=+$/, ""))).status).toBe(200);
  });

  test("may have any characters in its id and secret, form-encoded", async () => {
    const escaped = [...SECRETS].map((pair) => pair.map((text) => encodeURIComponent(String(text))).join(":"));
    for (const pair of escaped) {
      expect((await ask(encoded(pair))).status).toBe(200);
      expect((await ask(encoded(pair.replaceAll("%20", "+")))).status).toBe(200);
    }
    expect((await ask(encoded('id%3A+with+%25+%26+%2B:ünï:c"ode\\+'))).status).toBe(200);
  });

  test("with a wrong secret is told so, and by which scheme to try again: 401", async () => {
    for (const pair of ["sva_1:wrong", "sva_2:right", "sva_1:", ":right", ":"]) {
      const answer = await ask(encoded(pair));
      expect(answer).toMatchObject(REFUSED);
      expect(answer.json).toMatchObject({ error_description: "Invalid client" });
    }
  });

  test.each([
    ["nothing", "Basic"],
    ["a blank", "Basic "],
    ["what is not base64", "Basic sva_1:right"],
    ["base64 cut short", "Basic c3ZhXzE6c"],
    ["base64 with something behind it", `${encoded("sva_1:right!")} x`],
    ["no colon", encoded("sva_1")],
    ["an escape cut short", encoded("sva_1:right%2")],
    ["an escape that is none", encoded("sva_1:%zz")],
    ["escapes that are not UTF-8", encoded("sva_1:%ff")],
    ["bytes that are not UTF-8", encoded(Buffer.from("sva_1:r\xefght", "latin1"))],
  ])("with %s is refused: 401", async (_, authorization) => {
    const answer = await ask(authorization);
    expect(answer).toMatchObject(REFUSED);
    expect(answer.json).toMatchObject({ error_description: "the credentials of HTTP Basic cannot be read" });
  });

  test("with a null character in its secret is refused: 400", async () => {
    const answer = await ask(encoded("sva_1:right%00"));
    expect(answer).toMatchObject({ status: 400, json: { error: "invalid_request" } });
  });

  test.each([
    ["the same secret", { client_id: "sva_1", client_secret: "right" }],
    ["a secret alone", { client_secret: "right" }],
    ["another id", { client_id: "sva_2" }],
  ])("and in the body with %s is refused: 400", async (_, fields) => {
    expect(await ask(encoded("sva_1:right"), fields)).toMatchObject({
      status: 400,
      json: {
        error: "invalid_request",
        error_description: "client credentials must come by HTTP Basic or in the body, not both",
      },
    });
  });

  test("may say its id again, or leave the fields of the body empty", async () => {
    for (const fields of [{ client_id: "sva_1" }, { client_id: "", client_secret: "" }]) {
      expect((await ask(encoded("sva_1:right"), fields)).status).toBe(200);
    }
  });

  test("leaves no secret in the log, were the request to fail here", async () => {
    expect((await ask(encoded("sva_1:planted"), { scope: "broken" })).status).toBe(500);
    expect(lines.join("")).toContain("request failed");
    for (const trace of ["planted", Buffer.from("sva_1:planted").toString("base64")]) {
      expect(lines.join("")).not.toContain(trace);
    }
  });
});

describe("a client that does not", () => {
  test("is told of the bearer as before, whatever else its Authorization says", async () => {
    const fields = { client_id: "sva_1", client_secret: "wrong" };
    for (const authorization of ["Bearer x", "Basically x"]) {
      const answer = await ask(authorization, fields);
      expect([answer.status, answer.headers["www-authenticate"]]).toEqual([401, 'Bearer realm="assistant"']);
      expect((await ask(authorization, { ...fields, client_secret: "right" })).status).toBe(200);
    }
  });

  test("gets in nowhere else by HTTP Basic: 401", async () => {
    const headers = { "content-type": "application/json", authorization: encoded("sva_1:right") };
    const sent = { method: "POST", path: "/api/core/auth/introspect", headers, body: '{"token":"x"}' };
    expect((await send(gateway.port, sent)).status).toBe(401);
  });
});
