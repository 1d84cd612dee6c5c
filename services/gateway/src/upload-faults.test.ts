import { once } from "node:events";
import { request } from "node:http";
import { violation } from "@assistant/kit/rules/violation.js";
import { until } from "@assistant/kit/testing/until.js";
import { Fault, type FaultKind, late, unavailable } from "@assistant/kit/wire/fault.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { detail } from "./testing/client.js";
import { type Act, corruptFault, failing } from "./testing/conversion.js";
import { FORM_TYPE, filePart, form } from "./testing/form.js";
import { PATH, startUploadClient, type UploadClient } from "./testing/upload-client.js";

const aboutFile = (kind: FaultKind, type: string, message: string, context: object) =>
  new Fault(kind, message, { violations: [violation(["file"], type, message, { ...context })] });
const unsupported = () =>
  aboutFile("unsupported", "unsupported_media_type", "Unsupported Media Type", { detected: "exe", expected: ["docx"] });
const large = () => aboutFile("large", "payload_too_large", "Payload Too Large", { max_bytes: 5 });
const never = () => new Promise<never>(() => undefined);
const atOnce = (fault: () => Fault): Act => ({
  begin: async () => {
    throw fault();
  },
});

let client: UploadClient;

beforeAll(async () => {
  client = await startUploadClient(
    {
      "corrupt.txt": failing(corruptFault),
      "unsupported.txt": failing(unsupported),
      "large.txt": failing(large),
      "busy.txt": failing(() => unavailable("the queue is full", undefined, 2)),
      "late.txt": failing(late),
      "bug.txt": {
        end: () => {
          throw new Error("a secret cause");
        },
      },
      "busy at once.txt": atOnce(() => unavailable("the queue is full", undefined, 2)),
      "large at once.txt": atOnce(large),
      "corrupt at once.txt": atOnce(corruptFault),
      "endless.txt": {
        async *end() {
          yield await never();
        },
      },
    },
    { uploadLimits: { answerMs: 300 } },
  );
});
afterAll(() => client.gateway.close());

describe("what a service says of a file", () => {
  test("stands at the file, with its context and without its bytes", async () => {
    const at = ["body", "file"];
    const answers: Readonly<Record<string, readonly [number, object]>> = {
      "corrupt.txt": [422, detail("file_corrupt", at, "The file is damaged or not what its name says")],
      "unsupported.txt": [
        415,
        detail("unsupported_media_type", at, "Unsupported Media Type", null, { detected: "exe", expected: ["docx"] }),
      ],
      "large.txt": [413, detail("payload_too_large", at, "Payload Too Large", null, { max_bytes: 5 })],
    };
    for (const [name, [status, json]] of Object.entries(answers)) {
      const answer = await client.post(form(filePart(name, "x".repeat(100_000))));
      expect({ name, status: answer.status, json: answer.json }).toEqual({ name, status, json });
    }
  });

  test("that it is full, too slow or broken is told as everywhere, without its cause", async () => {
    const busy = await client.post(form(filePart("busy.txt", "x")), { "x-request-id": "r-1" });
    expect(busy).toMatchObject({
      status: 503,
      json: detail("unavailable", [], "Service Unavailable", null, { retry_after: 2, request_id: "r-1" }),
    });
    expect(busy.headers["retry-after"]).toBe("2");
    expect(await client.post(form(filePart("late.txt", "x")))).toMatchObject({
      status: 504,
      json: { detail: [{ type: "deadline_exceeded" }] },
    });
    const bug = await client.post(form(filePart("bug.txt", "x")));
    expect(bug).toMatchObject({ status: 500, json: { detail: [{ type: "internal" }] } });
    expect(bug.text).not.toContain("secret");
  });

  test("is answered before the body is through only where no body could change it", async () => {
    const begin = async (name: string) => {
      const headers = { authorization: `Bearer ${client.token}`, "content-type": FORM_TYPE };
      const outgoing = request({
        port: client.gateway.port,
        host: "127.0.0.1",
        method: "POST",
        path: PATH,
        headers,
        agent: false,
      });
      outgoing.on("error", () => undefined);
      outgoing.write(filePart(name, "x".repeat(100_000)));
      return outgoing;
    };
    for (const [name, status] of [
      ["busy at once.txt", 503],
      ["large at once.txt", 413],
    ] as const) {
      const outgoing = await begin(name);
      const [incoming] = await once(outgoing, "response");
      expect({ name, status: incoming.statusCode }).toEqual({ name, status });
      outgoing.destroy();
    }
    const outgoing = await begin("corrupt at once.txt");
    await until(
      async () => client.calls.at(-1)?.names[0] === "corrupt at once.txt" && client.calls.at(-1)?.isOver === true,
    );
    outgoing.end("--cut");
    const [incoming] = await once(outgoing, "response");
    expect(incoming.statusCode).toBe(400);
  });
});

test("a service that does not answer in time is given up: 504", async () => {
  const answer = await client.post(form(filePart("endless.txt", "x")));
  expect(answer).toMatchObject({ status: 504, json: { detail: [{ type: "deadline_exceeded" }] } });
  await until(async () => client.calls.find(({ names }) => names[0] === "endless.txt")?.call.signal.aborted === true);
});

test("a service that is gone, before or amid an upload, is 503 with the time for another try", async () => {
  const other = await startUploadClient({ "amid.txt": { begin: never } });
  const amid = other.post(form(filePart("amid.txt", "x".repeat(1_000_000))));
  await until(async () => other.calls.length === 1);
  await other.gateway.services.stop(0);
  const before = await other.post(form(filePart("a.txt", "x".repeat(1_000_000))));
  for (const answer of [await amid, before]) {
    expect(answer).toMatchObject({ status: 503, json: { detail: [{ type: "unavailable", ctx: { retry_after: 1 } }] } });
    expect(answer.headers["retry-after"]).toBe("1");
  }
  await other.gateway.close();
});

test("guests, whose session is good for one use case, may convert nothing", async () => {
  const token = await client.gateway.identity.token({ useCaseId: "uc_1" });
  const answer = await client.post(form(filePart("a.txt", "x")), { authorization: `Bearer ${token}` });
  expect(answer).toMatchObject({ status: 403, json: { detail: [{ type: "forbidden" }] } });
});
