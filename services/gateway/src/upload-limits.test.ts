import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { until } from "@assistant/kit/testing/until.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { detail } from "./testing/client.js";
import type { SeenCall } from "./testing/conversion.js";
import { FORM_TYPE, filePart, form, textPart } from "./testing/form.js";
import { exchangeBytes } from "./testing/raw.js";
import { PATH, startUploadClient, type UploadClient } from "./testing/upload-client.js";

const LIMIT = 300_000;
const MIB = 1_024 * 1_024;

let client: UploadClient;
let release: () => void = () => undefined;
const released = new Promise<void>((resolve) => {
  release = resolve;
});
/** What the client had put on the wire whenever the service took a chunk. */
let whenTaken: (seen: SeenCall) => void = () => undefined;

beforeAll(async () => {
  client = await startUploadClient(
    {
      "waiting.txt": { begin: () => released },
    },
    { uploadLimits: { bytesMax: LIMIT, patienceMs: 200 } },
  );
});
afterAll(() => client.gateway.close());

const tooLarge = (max: number) =>
  detail("payload_too_large", ["body", "file"], "Payload Too Large", null, { max_bytes: max });

function head(length: number | "chunked", token: string, ...more: string[]): string {
  const size = length === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
  const lines = [`POST ${PATH} HTTP/1.1`, "Host: x", `Authorization: Bearer ${token}`, `Content-Type: ${FORM_TYPE}`];
  return [...lines, size, ...more, "", ""].join("\r\n");
}

/** Opens a connection and sends the beginning of a request. */
async function begin(port: number, start: string | Buffer): Promise<{ socket: Socket; answer: Promise<string> }> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk)).on("error", () => undefined);
  const answer = new Promise<string>((resolve) => {
    socket.once("close", () => resolve(Buffer.concat(chunks).toString()));
  });
  socket.write(start);
  return { socket, answer };
}

const callOf = (name: string) => client.calls.find(({ names }) => names[0] === name);

describe("a file", () => {
  test("of exactly the limit is taken, one byte more is 413, measured or not, and what had begun is given up", async () => {
    const { post } = client;
    for (const headers of [{}, { "transfer-encoding": "chunked" }]) {
      expect(await post(form(filePart("a.txt", "x".repeat(LIMIT - 1))), headers)).toMatchObject({ status: 200 });
      expect(await post(form(filePart("a.txt", "x".repeat(LIMIT))), headers)).toMatchObject({ status: 200 });
      const { status, json } = await post(form(filePart("b.txt", "x".repeat(LIMIT + 1))), headers);
      expect({ status, json }).toEqual({ status: 413, json: tooLarge(LIMIT) });
    }
    await until(async () => client.calls.every(({ isOver }) => isOver));
    expect(client.calls.filter(({ isWhole }) => isWhole).map(({ names }) => names[0])).not.toContain("b.txt");
  });

  test("that is too large is 413 before anything else that is wrong with its form", async () => {
    const body = Buffer.concat([filePart("a.txt", "x".repeat(LIMIT + 1)), Buffer.from("cut")]);
    expect(await client.post(body)).toMatchObject({ status: 413 });
  });

  test("may not be smuggled past the limit in other parts", async () => {
    const many = Array.from({ length: 10 }, () => textPart("note", "x".repeat(200_000)));
    const headers = { "transfer-encoding": "chunked" };
    expect(await client.post(form(...many), headers)).toMatchObject({ status: 413, json: tooLarge(LIMIT) });
  });

  test("that says it is far too large is 413 at once, without being asked for", async () => {
    const answer = await exchangeBytes(
      client.gateway.port,
      head(1_000_000_000, client.token, "Expect: 100-continue", "Connection: close"),
    );
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
  });

  test("that is too large lets its client see the answer even if it sends on", async () => {
    const { socket, answer } = await begin(client.gateway.port, head("chunked", client.token, "Connection: close"));
    const start = filePart("endless.txt", "x");
    socket.write(`${start.length.toString(16)}\r\n${start.toString()}\r\n`);
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    const pump = () => {
      while (socket.writable && socket.write(chunk));
    };
    socket.on("drain", pump);
    pump();
    expect(await answer).toMatch(/^HTTP\/1.1 413 [\s\S]*payload_too_large/);
  });

  test("is asked for where its client waits to be", async () => {
    const body = form(filePart("a.txt", "a,b"));
    const more = ["Expect: 100-continue", "Connection: close"];
    const answer = await exchangeBytes(
      client.gateway.port,
      `${head(body.length, client.token, ...more)}${body.toString()}`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n[\s\S]*a,b$/);
    const refused = await exchangeBytes(client.gateway.port, head(body.length, "none", ...more));
    expect(refused).toMatch(/^HTTP\/1.1 401 /);
  });
});

describe("a client", () => {
  test("that stops sending is not waited for; one that the service keeps waiting is", async () => {
    const waiting = client.post(form(filePart("waiting.txt", "x".repeat(LIMIT))));
    await until(async () => callOf("waiting.txt") !== undefined);
    const start = filePart("stopped.txt", "x".repeat(1_000));
    const { answer } = await begin(
      client.gateway.port,
      Buffer.concat([Buffer.from(head(100_000, client.token)), start]),
    );
    const stopped = await answer;
    expect(stopped).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/);
    expect(stopped).toContain('"reason":"timeout"');
    await until(async () => callOf("stopped.txt")?.isOver === true);
    release();
    expect(await waiting).toMatchObject({ status: 200 });
  });

  test("that goes away while it sends has its call given up", async () => {
    const start = filePart("gone.txt", "x".repeat(1_000));
    const { socket } = await begin(
      client.gateway.port,
      Buffer.concat([Buffer.from(head(100_000, client.token)), start]),
    );
    await until(async () => callOf("gone.txt") !== undefined);
    socket.destroy();
    await until(async () => callOf("gone.txt")?.isOver === true);
    expect(callOf("gone.txt")).toMatchObject({ isWhole: false, call: { signal: { aborted: true } } });
  });

  test("sends no faster than the service takes", async () => {
    const roomy = await startUploadClient(
      { "slow.bin": { each: async (seen) => whenTaken(seen) } },
      { uploadLimits: { bytesMax: 32 * MIB } },
    );
    const file = Buffer.alloc(32 * MIB, "x");
    const body = form(filePart("slow.bin", file));
    let taken = 0;
    const ahead: number[] = [];
    const { socket, answer } = await begin(roomy.gateway.port, head(body.length, roomy.token, "Connection: close"));
    whenTaken = ({ chunks }) => {
      taken += chunks.at(-1) ?? 0;
      ahead.push(socket.bytesWritten - taken);
    };
    for (let at = 0; at < body.length; at += MIB) {
      if (!socket.write(body.subarray(at, at + MIB))) await once(socket, "drain");
    }
    expect(await answer).toMatch(/^HTTP\/1.1 200 /);
    await roomy.gateway.close();
    expect(taken).toBe(32 * MIB);
    // Most of it is in the buffers of the operating system.
    expect(Math.max(...ahead)).toBeLessThan(20 * MIB);
  });
});
