import { afterEach, describe, expect, test } from "@jest/globals";
import { answerFirst, listening, readAll, silently } from "../testing/chats.js";
import { eventually } from "../testing/eventually.js";
import { Probe, type RunningProbe } from "../testing/probe.js";
import { probing } from "../testing/probing.js";
import { streamRaw } from "../testing/wire.js";
import { conflict, Fault } from "./fault.js";

const { start, end } = probing();

afterEach(end);

const WITH_TOKEN = { authorization: "Bearer good" };
const ADA = Probe.chat.requestSerialize({ name: "ada" });
const chatRaw = ({ address }: RunningProbe, metadata: Readonly<Record<string, string>> = WITH_TOKEN) =>
  streamRaw(address, Probe.chat.path, metadata);
const textOf = (bytes: Buffer | undefined) => Probe.chat.responseDeserialize(bytes ?? Buffer.alloc(0)).text;
const lastLine = (probe: RunningProbe) =>
  eventually("the call is logged", () => probe.lines.findLast(({ rpc }) => rpc !== undefined));

describe("who may stream", () => {
  test.each([
    ["401: no token", {}, "UNAUTHENTICATED"],
    ["401: a token that does not hold", { authorization: "Bearer bad" }, "UNAUTHENTICATED"],
    ["403: a service that is not on the list", { ...WITH_TOKEN, "assistant-service": "stranger" }, "PERMISSION_DENIED"],
  ])("%s, though the client goes on sending, and no handler hears of it", async (_name, metadata, code) => {
    let asked = 0;
    const probe = await start({
      chat: silently(() => {
        asked += 1;
      }),
    });
    const { wire, answer } = chatRaw(probe, metadata);
    wire.write(ADA);
    const { code: answered, fault } = await answer;
    expect([answered, fault?.kind, asked]).toEqual([code, `FAULT_KIND_${code.replace("PERMISSION_", "")}`, 0]);
    expect(await lastLine(probe)).toMatchObject({ status: code, reason: expect.any(String) });
  });

  test("a stream with a token that holds is its caller's, with what travels beside it both ways", async () => {
    const probe = await start({
      async *chat(_, { caller, requestId, ifMatch, reply }) {
        reply.version = 7;
        yield { text: `${caller.principalId} ${requestId} ${String(ifMatch)}` };
      },
    });
    const { wire, answer } = chatRaw(probe, { ...WITH_TOKEN, "x-request-id": "r.1", "if-match": "3" });
    wire.end();
    const { code, bytes, trailers } = await answer;
    expect([code, textOf(bytes), trailers.get("version")]).toEqual(["OK", "usr_1 r.1 3", ["7"]]);
  });
});

describe("what is asked", () => {
  test("422: a message that breaks a rule ends the call, and those before it are answered", async () => {
    const { heard, handle } = listening();
    const { wire, answer, received } = chatRaw(await start({ chat: handle }));
    wire.write(ADA);
    await eventually("the first is answered", () => received.length === 1);
    wire.write(Probe.chat.requestSerialize({ size: -1 }));
    const { code, fault } = await answer;
    expect([code, fault?.kind]).toEqual(["INVALID_ARGUMENT", "FAULT_KIND_INVALID"]);
    expect(fault?.violations).toMatchObject([
      { path: ["name"], type: "missing" },
      { path: ["size"], type: "greater_than_equal" },
    ]);
    await eventually("the handler ends", () => heard.isDone);
    expect(heard).toMatchObject({ count: 1, isComplete: false, thrown: { kind: "invalid" } });
  });

  test("422: bytes that do not decode are the client's mistake, and the server lives on", async () => {
    const probe = await start();
    const broken = chatRaw(probe);
    broken.wire.write(Buffer.from([0xff, 0xff, 0xff]));
    expect(await broken.answer).toMatchObject({
      code: "INVALID_ARGUMENT",
      fault: { violations: [{ path: [], type: "model_attributes_type" }] },
    });
    const whole = chatRaw(probe);
    whole.wire.end(ADA);
    expect(await whole.answer).toMatchObject({ code: "OK" });
  });

  test("422 it is even where the handler makes light of it", async () => {
    const probe = await start({
      async *chat(requests) {
        await readAll(requests).catch(() => {});
        yield { text: "never mind" };
      },
    });
    const { wire, answer } = chatRaw(probe);
    wire.write(Buffer.from([0xff]));
    expect((await answer).code).toBe("INVALID_ARGUMENT");
  });

  test("a message over 4 MiB ends the call, and the server lives on", async () => {
    const { heard, handle } = listening();
    const probe = await start({ chat: handle });
    const { wire, answer } = chatRaw(probe);
    wire.write(Buffer.alloc(5 * 1_024 * 1_024));
    expect((await answer).code).toBe("RESOURCE_EXHAUSTED");
    await eventually("the handler ends", () => heard.isDone);
    expect([heard.isComplete, heard.thrown]).toEqual([false, expect.any(Fault)]);
    const whole = chatRaw(probe);
    whole.wire.end(ADA);
    expect((await whole.answer).code).toBe("OK");
  });
});

describe("what is answered", () => {
  test("a handler that ends without reading everything ends the call well; the rest is discarded", async () => {
    const probe = await start({ chat: answerFirst });
    const { wire, answer, received } = chatRaw(probe);
    for (let sent = 0; sent < 100; sent += 1) {
      wire.write(Probe.chat.requestSerialize({ name: String(sent), text: "x".repeat(10_000) }));
    }
    expect((await answer).code).toBe("OK");
    expect(received.map(textOf)).toEqual(["0"]);
    expect(await lastLine(probe)).toMatchObject({ status: "OK", level: "info" });
  });

  test("a handler that reads nothing at all ends the call well", async () => {
    const { wire, answer, received } = chatRaw(await start({ chat: silently(() => {}) }));
    wire.write(ADA);
    expect([(await answer).code, received]).toEqual(["OK", []]);
  });

  test("a Fault is answered by its kind, anything else is internal and logged whole", async () => {
    const probe = await start({
      chat: silently(() => {
        throw conflict("name_taken", ["name"]);
      }),
      dictate: () => {
        throw new TypeError("undefined is not a function");
      },
    });
    expect(await chatRaw(probe).answer).toMatchObject({
      code: "ALREADY_EXISTS",
      fault: { violations: [{ path: ["name"], type: "conflict" }] },
    });
    const broken = await streamRaw(probe.address, Probe.dictate.path, WITH_TOKEN).answer;
    expect(broken).toMatchObject({ code: "INTERNAL", details: "internal error", fault: { violations: [] } });
    expect(await lastLine(probe)).toMatchObject({ level: "error", err: { type: "TypeError" } });
  });

  test("an answer over 4 MiB is a failure of the service, told and logged, and its handler is ended", async () => {
    let isDone = false;
    const probe = await start({
      async *chat() {
        try {
          yield { text: "x".repeat(5 * 1_024 * 1_024) };
        } finally {
          isDone = true;
        }
      },
    });
    const { code, fault } = await chatRaw(probe).answer;
    expect([code, fault?.kind, isDone]).toEqual(["INTERNAL", "FAULT_KIND_INTERNAL", true]);
    expect(await lastLine(probe)).toMatchObject({ level: "error", err: { type: "RangeError" } });
  });

  test("every stream is one line", async () => {
    const probe = await start();
    const { wire, answer } = chatRaw(probe);
    wire.write(ADA);
    wire.end(ADA);
    await answer;
    expect(await lastLine(probe)).toMatchObject({ status: "OK", rpc: Probe.chat.path, actor_id: "usr_1" });
    expect(probe.lines.filter(({ rpc }) => rpc !== undefined)).toHaveLength(1);
  });
});
