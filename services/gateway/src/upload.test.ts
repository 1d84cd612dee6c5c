import { until } from "@assistant/kit/testing/until.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { detail } from "./testing/client.js";
import { corruptFault, failing } from "./testing/conversion.js";
import { BOUNDARY, FORM_TYPE, filePart, form, part, textPart } from "./testing/form.js";
import { exchangeBytes, send } from "./testing/raw.js";
import { PATH, startUploadClient, type UploadClient } from "./testing/upload-client.js";

const LIMIT = 300_000;

let client: UploadClient;
let post: UploadClient["post"];

beforeAll(async () => {
  client = await startUploadClient({ "corrupt.txt": failing(corruptFault) }, { uploadLimits: { bytesMax: LIMIT } });
  ({ post } = client);
});
afterAll(() => client.gateway.close());

const missing = detail("missing", ["body", "file"], "Field required");
const malformed = detail("bad_request", ["body"], "Invalid multipart data.", null, { reason: "multipart" });
const text = (input: string) =>
  detail("value_error", ["body", "file"], "Value error, Expected UploadFile, received: <class 'str'>", input, {
    error: {},
  });
const extra = (loc: readonly string[], input: unknown) =>
  detail("extra_forbidden", loc, "Extra inputs are not permitted", input).detail[0];
const lastCall = () => client.calls.at(-1);

describe("a file", () => {
  test("reaches the service as it is, its name first, then its bytes in chunks of at most 64 KiB", async () => {
    const bytes = Buffer.alloc(LIMIT, "0123456789\r\n--");
    const answer = await post(form(filePart("a.txt", bytes)));
    expect(answer).toMatchObject({ status: 200, text: bytes.toString() });
    expect(lastCall()?.names).toEqual(["a.txt"]);
    expect(Math.max(...(lastCall()?.chunks ?? []))).toBeLessThanOrEqual(65_536);
  });

  test("is found among other parts, before or after it, with a preamble and an epilogue", async () => {
    const parts = form(textPart("note", "x"), filePart("a.txt", "a,b"), filePart("b.txt", "c,d", "other"));
    const body = Buffer.concat([Buffer.from("preamble\r\n"), parts, Buffer.from("epilogue\r\n")]);
    expect(await post(body)).toMatchObject({ status: 200, text: "a,b" });
  });

  test("comes in the chunks of a transfer coding too, were they of one byte", async () => {
    const head = [
      `POST ${PATH} HTTP/1.1`,
      "Host: x",
      "Connection: close",
      `Authorization: Bearer ${client.token}`,
      `Content-Type: ${FORM_TYPE}`,
      "Transfer-Encoding: chunked",
    ];
    const body = form(filePart("a.txt", "a,b\r\n"), textPart("note", "x")).toString();
    const chunks = Array.from(body, (byte) => `1\r\n${byte}\r\n`).join("");
    const answer = await exchangeBytes(client.gateway.port, `${head.join("\r\n")}\r\n\r\n${chunks}0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*\r\n\r\na,b\r\n$/);
  });

  test("may be empty: whether that can be converted is the service's business", async () => {
    expect(await post(form(filePart("a.txt", "")))).toMatchObject({ status: 200, text: "" });
  });

  test("has its name as the client wrote it: quoted, bare, encoded, in raw UTF-8, with folders", async () => {
    const names: readonly (readonly [string, string])[] = [
      ['filename="a b.txt"', "a b.txt"],
      ["filename=a.txt", "a.txt"],
      [String.raw`filename="a\"b.txt"`, 'a"b.txt'],
      ["filename=\"x.txt\"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%E6%BC%A2.txt", "größe 漢.txt"],
      ["filename*=UTF-8''x%20y.txt", "x y.txt"],
      ['filename="größe 漢 😀.txt"', "größe 漢 😀.txt"],
      [String.raw`filename="C:\\docs\\a.txt"`, String.raw`C:\docs\a.txt`],
      ['filename="../../a.txt"', "../../a.txt"],
      ['filename=".."', ".."],
    ];
    for (const [written, name] of names) {
      const body = form(part([`Content-Disposition: form-data; name="file"; ${written}`], "x"));
      expect({ written, status: (await post(body)).status }).toEqual({ written, status: 200 });
      expect(lastCall()?.names).toEqual([name]);
    }
  });

  test("sent twice counts as it was sent last; what the first one began is given up", async () => {
    const before = client.calls.length;
    const answer = await post(form(filePart("one.txt", "1".repeat(100_000)), filePart("two.txt", "2")));
    expect(answer).toMatchObject({ status: 200, text: "2" });
    const [one, two] = client.calls.slice(before).sort((a, b) => String(a.names[0]).localeCompare(String(b.names[0])));
    expect([two?.names, two?.isWhole]).toEqual([["two.txt"], true]);
    await until(async () => one?.isOver === true);
    expect(one?.isWhole).toBe(false);
    expect(await post(form(filePart("one.txt", "1"), textPart("file", "a")))).toMatchObject({
      status: 422,
      json: text("a"),
    });
    expect(await post(form(textPart("file", "a"), filePart("two.txt", "2")))).toMatchObject({ status: 200, text: "2" });
  });
});

describe("no file", () => {
  test("is missing where there is no such part, no body, or another media type", async () => {
    const cases: readonly (readonly [Buffer | string, Record<string, string | null>])[] = [
      [form(filePart("a.txt", "x", "File")), {}],
      [form(), {}],
      [form(textPart("file", "")), {}],
      [
        form(
          part(
            ['Content-Disposition: form-data; name="file"; filename=""', "Content-Type: application/octet-stream"],
            "",
          ),
        ),
        {},
      ],
      ["", {}],
      ["", { "transfer-encoding": "chunked" }],
      ["", { "content-type": null }],
      ['{"file":"x"}', { "content-type": "application/json" }],
      ["a,b", { "content-type": "text/csv" }],
      ["a,b", { "content-type": null }],
      ["other=abc", { "content-type": "application/x-www-form-urlencoded" }],
      ["file=", { "content-type": "application/x-www-form-urlencoded" }],
    ];
    for (const [body, headers] of cases) {
      const { status, json } = await post(body, headers);
      expect({ body: body.toString(), status, json }).toEqual({ body: body.toString(), status: 422, json: missing });
    }
  });

  test("but text is a wrong value, which is shown, cut where it is long", async () => {
    const cases: readonly (readonly [Buffer | string, string])[] = [
      [form(textPart("file", "😀")), "😀"],
      [form(part(['Content-Disposition: form-data; name="file"', "Content-Type: text/plain"], "a,b")), "a,b"],
      [
        form(part(['Content-Disposition: form-data; name="file"', "Content-Type: application/octet-stream"], "a,b")),
        "a,b",
      ],
      [form(textPart("file", "a".repeat(9_000))), `${"a".repeat(1_024)}…`],
      [
        form(
          part(
            ['Content-Disposition: form-data; name="file"', "Content-Type: application/octet-stream"],
            "a".repeat(200_000),
          ),
        ),
        `${"a".repeat(1_024)}…`,
      ],
    ];
    for (const [body, input] of cases) expect(await post(body)).toMatchObject({ status: 422, json: text(input) });
    const headers = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };
    expect(await post("file=abc&file=def", headers)).toMatchObject({ status: 422, json: text("def") });
  });
});

describe("what is no form", () => {
  const open = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n`;

  test("is 400, wherever it breaks, and what had begun is given up", async () => {
    const long = "x".repeat(100_000);
    const bodies = {
      garbage: "garbage",
      "another boundary": form(filePart("a.txt", "x")).toString().replaceAll(BOUNDARY, "another"),
      "no headers": form(part([], "x")),
      "a header without a colon": form(part(['Content-Disposition form-data; name="file"'], "x")),
      "no disposition": form(part(["Content-Type: text/plain"], "x")),
      "no disposition before the file": form(part(["Content-Type: text/plain"], "x"), filePart("a.txt", "x")),
      "another disposition": form(part(['Content-Disposition: attachment; name="file"'], "x")),
      "a broken disposition": form(part(["Content-Disposition: form-data; name=fi le; filename=a.txt"], "x")),
      "a file without a name": form(part(['Content-Disposition: form-data; filename="a.txt"'], "x")),
      "a text without a name": form(part(["Content-Disposition: form-data"], "x")),
      "cut in the headers": open.slice(0, 50),
      "cut in the file": `${open}x`,
      "cut in a long file": `${open}${long}`,
      "cut in the last boundary": `${open}x\r\n--${BOUNDARY}`,
      "cut after the file": `${open}${long}\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="note"\r\n\r\nx`,
      "65 parts": form(...Array.from({ length: 64 }, () => textPart("note", "x")), filePart("a.txt", "x")),
      "headers of 17 KB": form(
        part([`X-Long: ${"a".repeat(17_000)}`, 'Content-Disposition: form-data; name="a"'], "x"),
      ),
      "the beginning of the boundary within the file": form(filePart("a.txt", `a\r\n--${BOUNDARY}b`)),
    };
    for (const [why, body] of Object.entries(bodies)) {
      const { status, json } = await post(body);
      expect({ why, status, json }).toEqual({ why, status: 400, json: malformed });
    }
    await until(async () => client.calls.every(({ isOver }) => isOver));
    const most = form(...Array.from({ length: 63 }, () => textPart("note", "x")), filePart("a.txt", "x"));
    expect(await post(most)).toMatchObject({ status: 200 });
  });

  test("is 400 where no boundary is named, or none that could be one", async () => {
    const json = detail("bad_request", ["body"], "Missing boundary in multipart.", null, { reason: "boundary" });
    for (const type of ["", "; boundary=", '; boundary=""', `; boundary=${"b".repeat(71)}`, '; boundary="a\\"b"']) {
      const answer = await post(form(filePart("a.txt", "x")), { "content-type": `multipart/form-data${type}` });
      expect({ type, status: answer.status, json: answer.json }).toEqual({ type, status: 400, json });
    }
    for (const type of [
      `Multipart/Form-Data; charset=utf-8; boundary="${BOUNDARY}"`,
      `multipart/form-data;boundary=${BOUNDARY} ; x=y`,
    ]) {
      expect(await post(form(filePart("a.txt", "x")), { "content-type": type })).toMatchObject({ status: 200 });
    }
  });

  test("is 415 where it is compressed", async () => {
    const { status, json } = await post(form(filePart("a.txt", "x")), { "content-encoding": "gzip" });
    expect({ status, json }).toMatchObject({
      status: 415,
      json: { detail: [{ loc: ["header", "content-encoding"] }] },
    });
  });

  test("is 400 even where the service had found something wrong with the file", async () => {
    const broken = form(filePart("corrupt.txt", "x")).subarray(0, -6);
    expect(await post(broken)).toMatchObject({ status: 400, json: malformed });
  });
});

describe("with handling=strict", () => {
  const strict = { prefer: "handling=strict" };

  test("unknown parameters and parts are refused, in the order query, file, parts as sent; nothing is converted", async () => {
    const before = client.calls.length;
    const body = form(textPart("b", "1"), filePart("c.txt", "x", "a"), textPart("b", "2"), textPart("password", "p"));
    const { status, json } = await post(body, strict, `${PATH}?format=x`);
    expect(status).toBe(422);
    expect(json).toEqual({
      detail: [
        extra(["query", "format"], "x"),
        missing.detail[0],
        extra(["body", "b"], "2"),
        extra(["body", "a"], null),
        extra(["body", "password"], "[redacted]"),
      ],
    });
    expect(await post(form(filePart("a.txt", "x")), strict, `${PATH}?format=x`)).toMatchObject({ status: 422 });
    expect(client.calls).toHaveLength(before);
    expect(await post(form(filePart("a.txt", "x"), textPart("b", "1")), strict)).toMatchObject({ status: 422 });
    await until(async () => client.calls.every(({ isOver }) => isOver));
    const form64 = { ...strict, "content-type": "application/x-www-form-urlencoded" };
    expect((await post("file=a&b=1", form64)).json).toEqual({
      detail: [text("a").detail[0], extra(["body", "b"], "1")],
    });
  });

  test("a form that holds the file alone is taken, and says so", async () => {
    const answer = await post(form(filePart("a.txt", "x")), strict);
    expect(answer).toMatchObject({ status: 200, headers: { "preference-applied": "handling=strict" } });
  });

  test("a broken form comes first", async () => {
    expect(await post("garbage", strict, `${PATH}?format=x`)).toMatchObject({ status: 400, json: malformed });
  });
});

describe("before the body", () => {
  test("comes who asks: 401 without a token, whatever is sent", async () => {
    const answer = await post("garbage", { authorization: null });
    expect(answer).toMatchObject({ status: 401, json: { detail: [{ type: "unauthenticated" }] } });
  });

  test("comes the method: 405 with what the path takes", async () => {
    const headers = { authorization: `Bearer ${client.token}` };
    for (const method of ["GET", "HEAD", "PUT", "DELETE"]) {
      const answer = await send(client.gateway.port, { method, path: PATH, headers });
      expect(answer).toMatchObject({ status: 405, headers: { allow: "POST, OPTIONS" } });
    }
  });

  test("comes the rate, which is one of its own", async () => {
    const other = await startUploadClient({}, { perMinute: { convert: 1 } });
    expect((await other.post(form(filePart("a.txt", "x")))).headers["ratelimit-policy"]).toBe('"convert";q=1;w=60');
    const { status, json } = await other.post("garbage");
    await other.gateway.close();
    expect({ status, json }).toMatchObject({ status: 429, json: { detail: [{ type: "rate_limited" }] } });
  });
});
