import { afterEach, describe, expect, test } from "@jest/globals";
import { anonymous } from "../caller/caller.js";
import { violation } from "../rules/violation.js";
import { eventually } from "../testing/eventually.js";
import { Probe, probeCall, probeRegistry, type RunningProbe, startProbe } from "../testing/probe.js";
import { callRaw } from "../testing/wire.js";
import { dial, type Peer } from "./dial.js";
import { conflict, invalid, unavailable } from "./fault.js";
import { served } from "./serve.js";

const ending: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) {
    await end();
  }
});

const start: typeof startProbe = async (handlers, options) => {
  const probe = await startProbe(handlers, options);
  ending.push(() => probe.server.stop(0));
  return probe;
};

const peerOf = ({ address }: RunningProbe, from = "friend"): Peer => {
  const peer = dial({ from, to: "probe", address, registry: probeRegistry });
  ending.push(() => peer.close());
  return peer;
};

const WITH_TOKEN = { authorization: "Bearer good" };
const read = (probe: RunningProbe, metadata: Readonly<Record<string, string>> = WITH_TOKEN) =>
  callRaw(probe.address, Probe.read.path, Probe.read.requestSerialize({ name: "ada" }), metadata).answer;
const lastLine = (probe: RunningProbe) =>
  eventually("the call is logged", () => probe.lines.findLast(({ rpc }) => rpc !== undefined));

test("a service without one of its handlers, or with one for other messages, does not compile", () => {
  const handle = async () => ({ text: "" });
  const stream = async function* () {
    yield { text: "" };
  };
  const streams = { chat: stream, dictate: stream };
  // @ts-expect-error: nobody answers `open`.
  expect(Object.keys(served(Probe, { read: handle, write: handle, ...streams }))).toContain("open");
  // @ts-expect-error: `open` answers a number where a text is due.
  served(Probe, { read: handle, write: handle, open: async () => ({ text: 5 }), ...streams });
  // @ts-expect-error: there is no rpc `shut` that could need no token.
  served(Probe, { read: handle, write: handle, open: handle, ...streams }, ["shut"]);
  // @ts-expect-error: `chat` answers once where a stream is due.
  served(Probe, { read: handle, write: handle, open: handle, ...streams, chat: handle });
  // @ts-expect-error: `open` answers with a stream where one answer is due.
  served(Probe, { read: handle, write: handle, open: stream, ...streams });
  served(Probe, { read: handle, write: handle, open: handle, ...streams });
});

describe("who may call", () => {
  test("a call with a token that holds is answered as its caller", async () => {
    const probe = await start({ read: async (_, { caller }) => ({ text: `${caller.principalId} ${caller.token}` }) });
    expect(await peerOf(probe).call(Probe.read, { name: "a" }, probeCall())).toEqual({ text: "usr_1 good" });
  });

  test.each([
    ["no token", {}],
    ["a token that does not hold", { authorization: "Bearer bad" }],
    ["another scheme", { authorization: "Basic good" }],
    ["nothing after the scheme", { authorization: "Bearer " }],
  ])("401: %s", async (_name, metadata) => {
    const answer = await read(await start(), metadata);
    expect(answer.code).toBe("UNAUTHENTICATED");
    expect(answer.fault).toMatchObject({ kind: "FAULT_KIND_UNAUTHENTICATED", violations: [] });
  });

  test("an open rpc needs no token and has an anonymous caller even with one", async () => {
    const probe = await start({ open: async (_, { caller }) => ({ text: caller.kind }) });
    const call = probeCall({ rpc: Probe.open.path });
    expect(await peerOf(probe).call(Probe.open, { name: "a" }, call)).toEqual({ text: "anonymous" });
    expect(await peerOf(probe).call(Probe.open, { name: "a" }, { ...call, caller: anonymous })).toEqual({
      text: "anonymous",
    });
  });

  test("403: a service that is not on the list, whatever token it has", async () => {
    const answer = await read(await start(), { ...WITH_TOKEN, "assistant-service": "stranger" });
    expect(answer.code).toBe("PERMISSION_DENIED");
    expect(answer.fault?.kind).toBe("FAULT_KIND_DENIED");
  });

  test("a client that is no service needs only its token", async () => {
    expect((await read(await start())).code).toBe("OK");
  });
});

describe("what is asked", () => {
  test("422: rules of the message, told in the order of its fields", async () => {
    const call = peerOf(await start()).call(Probe.read, { size: -1 }, probeCall());
    await expect(call).rejects.toMatchObject({
      kind: "invalid",
      violations: [
        { path: ["name"], type: "missing", message: "Field required", context: {} },
        { path: ["size"], type: "greater_than_equal", context: { ge: 0 } },
      ],
    });
  });

  test("the token is looked at before the message", async () => {
    const { answer } = callRaw((await start()).address, Probe.read.path, Buffer.from([0xff]), {});
    expect((await answer).code).toBe("UNAUTHENTICATED");
  });

  test("bytes that do not decode are the client's mistake, and the server lives on", async () => {
    const probe = await start();
    const { answer } = callRaw(probe.address, Probe.read.path, Buffer.from([0xff, 0xff, 0xff]), WITH_TOKEN);
    expect(await answer).toMatchObject({
      code: "INVALID_ARGUMENT",
      fault: { violations: [{ path: [], type: "model_attributes_type" }] },
    });
    expect((await read(probe)).code).toBe("OK");
  });

  test("a message over 4 MiB and metadata beyond all measure are refused, and the server lives on", async () => {
    const probe = await start();
    const large = callRaw(probe.address, Probe.read.path, Buffer.alloc(5 * 1_024 * 1_024), WITH_TOKEN);
    expect((await large.answer).code).toBe("RESOURCE_EXHAUSTED");
    const heavy = await read(probe, { ...WITH_TOKEN, junk: "x".repeat(200_000) });
    expect(heavy.code).not.toBe("OK");
    expect((await read(probe)).code).toBe("OK");
  });

  test("request id, trace, If-Match and Idempotency-Key reach the handler as they were sent", async () => {
    const probe = await start({
      read: async (_, { requestId, traceparent, ifMatch, idempotencyKey }) => ({
        text: JSON.stringify([requestId, traceparent, ifMatch, idempotencyKey]),
      }),
    });
    const sent = async (fields: Parameters<typeof probeCall>[0]) => {
      const call = probeCall({ requestId: "r.1", ...fields });
      const { text } = await peerOf(probe).call(Probe.read, { name: "a" }, call);
      return [call.traceparent, JSON.parse(text)];
    };
    const [traceparent, plain] = await sent({});
    expect(plain).toEqual(["r.1", traceparent, null, null]);
    const [other, full] = await sent({ ifMatch: ["3", "a,b", "ü"], idempotencyKey: "50 % für 2" });
    expect(full).toEqual(["r.1", other, ["3", "a,b", "ü"], "50 % für 2"]);
    expect((await sent({ ifMatch: [] }))[1][2]).toEqual([]);
    expect((await sent({ ifMatch: "*" }))[1][2]).toBe("*");
    expect((await sent({ ifMatch: ["*"] }))[1][2]).toEqual(["*"]);
  });

  test("a request id or a trace of another form is replaced", async () => {
    const probe = await start();
    await read(probe, { ...WITH_TOKEN, "x-request-id": "no spaces", traceparent: `00-${"0".repeat(32)}-1-00` });
    expect(await lastLine(probe)).toMatchObject({
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      trace_id: expect.stringMatching(/^(?!0{32})[0-9a-f]{32}$/),
    });
  });
});

describe("how it is answered", () => {
  test("version and replay travel beside the answer", async () => {
    const probe = await start({
      read: async (_, { reply }) => {
        reply.version = 7;
        reply.replayed = true;
        return { text: "" };
      },
    });
    const call = probeCall();
    await peerOf(probe).call(Probe.read, { name: "a" }, call);
    expect(call.reply).toEqual({ version: 7, replayed: true });
  });

  test("faults arrive with kind, violations and patience, without what is only for the log", async () => {
    const probe = await start({
      read: async () => {
        throw conflict("name_taken", ["name"]);
      },
      write: async () => {
        throw unavailable("postgres://secret is away", new Error("ECONNREFUSED 10.0.0.1"), 3);
      },
    });
    await expect(peerOf(probe).call(Probe.read, { name: "a" }, probeCall())).rejects.toMatchObject({
      kind: "conflict",
      violations: [{ path: ["name"], type: "conflict", context: { reason: "name_taken" } }],
    });
    const { answer } = callRaw(
      probe.address,
      Probe.write.path,
      Probe.write.requestSerialize({ name: "a" }),
      WITH_TOKEN,
    );
    const { code, details, fault } = await answer;
    expect([code, details, fault?.retry_after_s]).toEqual(["UNAVAILABLE", "unavailable", 3]);
    expect(await lastLine(probe)).toMatchObject({ level: "warn", err: { message: "ECONNREFUSED 10.0.0.1" } });
  });

  test("what is no fault is internal: logged whole and once, answered bare", async () => {
    const probe = await start({
      read: async () => {
        throw new TypeError("undefined is not a function");
      },
    });
    const { code, details, fault } = await read(probe);
    expect([code, details]).toEqual(["INTERNAL", "internal error"]);
    expect(fault).toEqual({ kind: "FAULT_KIND_INTERNAL", violations: [], retry_after_s: undefined });
    const told = probe.lines.filter((line) => JSON.stringify(line).includes("undefined is not a function"));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ level: "error", err: { type: "TypeError", stack: expect.any(String) } });
  });

  test("at most 32 violations and 8 KiB of them travel", async () => {
    const many = (count: number, text: string) =>
      invalid(...Array.from({ length: count }, (_, index) => violation([String(index)], "t", text)));
    const probe = await start({
      read: async () => {
        throw many(40, "short");
      },
      write: async () => {
        throw many(20, "x".repeat(1_000));
      },
      open: async () => {
        throw many(1, "x".repeat(20_000));
      },
    });
    expect((await read(probe)).fault?.violations).toHaveLength(32);
    const raw = (path: string) => callRaw(probe.address, path, Probe.write.requestSerialize({ name: "a" }), WITH_TOKEN);
    const cut = (await raw(Probe.write.path).answer).fault?.violations;
    expect(cut?.map(({ path }) => path[0])).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
    expect((await raw(Probe.open.path).answer).fault).toMatchObject({ kind: "FAULT_KIND_INVALID", violations: [] });
  });

  test("every call is one line: what, how it ended, how long, for whom; never the token", async () => {
    const probe = await start();
    const call = probeCall();
    await peerOf(probe).call(Probe.read, { name: "a" }, call);
    expect(await lastLine(probe)).toMatchObject({
      level: "info",
      rpc: "/probe.v1.ProbeService/Read",
      status: "OK",
      duration_ms: expect.any(Number),
      request_id: "request-1",
      trace_id: call.traceparent.split("-")[1],
      org_id: "org_1",
      actor_id: "usr_1",
    });
    expect(probe.lines.filter(({ rpc }) => rpc !== undefined)).toHaveLength(1);
    expect(JSON.stringify(probe.lines)).not.toContain("good");
  });
});

describe("stopping", () => {
  test("running calls end, new ones find nobody", async () => {
    let finish: (() => void) | undefined;
    const probe = await start({
      read: () =>
        new Promise((resolve) => {
          finish = () => resolve({ text: "done" });
        }),
    });
    const running = read(probe);
    const release = await eventually("the handler runs", () => finish);
    const stopped = probe.server.stop(5_000);
    expect((await read(probe)).code).toBe("UNAVAILABLE");
    release();
    expect((await running).code).toBe("OK");
    await stopped;
  });

  test("calls that outlive the grace are cut off", async () => {
    let begun = false;
    const probe = await start({
      read: () => {
        begun = true;
        return new Promise(() => {});
      },
    });
    const running = read(probe);
    await eventually("the handler runs", () => begun);
    await probe.server.stop(50);
    expect((await running).code).not.toBe("OK");
  });

  test("a port that is taken is said by its address", async () => {
    const probe = await start();
    await expect(start({}, { listen: probe.address })).rejects.toThrow(`cannot listen on ${probe.address}`);
  });
});
