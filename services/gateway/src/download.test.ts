import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { createLog } from "@assistant/kit/process/log.js";
import { until } from "@assistant/kit/testing/until.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { attachment } from "./content-disposition.js";
import { type Act, answerFile, corruptFault } from "./testing/conversion.js";
import { FORM_TYPE, filePart, form } from "./testing/form.js";
import { PATH, startUploadClient, type UploadClient } from "./testing/upload-client.js";

const MIB = 1_024 * 1_024;
const chunk = Buffer.alloc(65_536, "x");
const lines: Readonly<Record<string, unknown>>[] = [];
let produced = 0;

const acts: Readonly<Record<string, Act>> = {
  "broken.txt": {
    async *end() {
      yield* answerFile([chunk], 10 * chunk.length);
      throw corruptFault();
    },
  },
  "short.txt": { end: () => answerFile([chunk], chunk.length + 1) },
  "long.txt": { end: () => answerFile([chunk, chunk], chunk.length + 1) },
  "headless.txt": {
    async *end() {
      yield { part: { $case: "chunk", value: chunk } };
    },
  },
  "nothing.txt": { end: nothing },
  "large.bin": {
    async *end() {
      for await (const message of answerFile(Array<Buffer>(1_024).fill(chunk))) {
        if (message.part?.$case === "chunk") produced += message.part.value.length;
        yield message;
      }
    },
  },
};

let client: UploadClient;

beforeAll(async () => {
  const log = createLog("gateway", "0", "error", { write: (line) => lines.push(JSON.parse(line)) });
  client = await startUploadClient(acts, { log, corsOrigins: ["https://app.example"] });
});
afterAll(() => client.gateway.close());

async function* nothing(): AsyncGenerator<never> {
  yield* [];
}

/** Sends a file and answers as soon as the head of the answer is there. */
async function open(name: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${client.token}`, "content-type": FORM_TYPE };
  const outgoing = request({
    port: client.gateway.port,
    host: "127.0.0.1",
    method: "POST",
    path: PATH,
    headers,
    agent: false,
  });
  outgoing.end(form(filePart(name, "x")));
  const [incoming] = await once(outgoing, "response");
  return incoming;
}

const callOf = (name: string) => client.calls.find(({ names }) => names[0] === name);

describe("the file that comes back", () => {
  test("is answered with its name, its kind, its tag and where the time went; nobody keeps or runs it", async () => {
    const { status, text, headers } = await client.post(form(filePart("a.txt", "a,b")), {
      origin: "https://app.example",
    });
    expect({ status, text }).toEqual({ status: 200, text: "a,b" });
    expect(headers).toMatchObject({
      "content-type": "application/pdf",
      "content-length": "3",
      "content-disposition":
        "attachment; filename=\"gr__e _1_ _.pdf\"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%221%22%20%E6%BC%A2.pdf",
      etag: '"tag1"',
      "server-timing": "queue;dur=0.13, load;dur=20",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
    });
    expect(headers["access-control-expose-headers"]).toMatch(/Content-Disposition.*Server-Timing/);
  });

  test("is answered again whatever tag the client knows: nothing is kept by a POST", async () => {
    const answer = await client.post(form(filePart("a.txt", "a,b")), { "if-none-match": '"tag1"' });
    expect(answer).toMatchObject({ status: 200, text: "a,b" });
  });

  test("has a name that no header can be broken with", () => {
    expect(attachment("a\r\nSet-Cookie: x=1;\u0000%41*'()\\.pdf")).toBe(
      "attachment; filename=\"a__Set-Cookie: x=1;__41*'()_.pdf\"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x%3D1%3B%00%2541%2A%27%28%29%5C.pdf",
    );
  });

  test("breaks off with the service, so that no part of it looks whole; the log tells why", async () => {
    for (const name of ["broken.txt", "short.txt", "long.txt"]) {
      const incoming = await open(name);
      expect(incoming.statusCode).toBe(200);
      incoming.resume();
      await expect(once(incoming, "end")).rejects.toThrow("aborted");
      await until(async () => callOf(name)?.isOver === true);
    }
    const causes = lines.map(({ msg, err }) => ({ msg, err: JSON.stringify(err) }));
    expect(causes).toHaveLength(3);
    for (const { msg, err } of causes)
      expect({ msg, err }).toMatchObject({ msg: "request failed", err: expect.stringContaining("broke off") });
  });

  test("is a defect of the service where it has no head: 500", async () => {
    for (const name of ["headless.txt", "nothing.txt"]) {
      const answer = await client.post(form(filePart(name, "x")));
      expect(answer).toMatchObject({ status: 500, json: { detail: [{ type: "internal" }] } });
      expect(answer.headers["content-disposition"]).toBeUndefined();
    }
  });

  test("comes no faster than the client reads; a client that goes away ends it", async () => {
    const incoming = await open("large.bin");
    let read = 0;
    const ahead: number[] = [];
    for await (const bytes of incoming) {
      read += bytes.length;
      ahead.push(produced - read);
      if (read > 32 * MIB) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    // Most of it is in the buffers of the operating system.
    expect(Math.max(...ahead)).toBeLessThan(24 * MIB);
    await until(async () => callOf("large.bin")?.isOver === true);
    expect(produced).toBeLessThan(64 * MIB);
  });
});
