import { afterEach, describe, expect, test } from "@jest/globals";
import { eventually } from "../testing/eventually.js";
import { Probe, probeCall, probeRegistry, type RunningProbe, startProbe } from "../testing/probe.js";
import { callRaw } from "../testing/wire.js";
import { dial, type Peer } from "./dial.js";
import { Fault } from "./fault.js";

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

describe("until when", () => {
  test("a handler that never ends is answered at the deadline, and its signal tells it", async () => {
    let reason: unknown;
    const probe = await start({
      read: (_, { signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => {
            reason = signal.reason;
          });
        }),
    });
    const peer = peerOf(probe);
    // The connection is there before the time begins to run.
    await peer.call(Probe.write, { name: "a" }, probeCall());
    const startedMs = Date.now();
    const call = peer.call(Probe.read, { name: "a" }, probeCall({ deadlineMs: startedMs + 200 }));
    await expect(call).rejects.toMatchObject({ kind: "late" });
    expect(Date.now() - startedMs).toBeLessThan(1_000);
    expect(await eventually("the signal fires", () => reason ?? false)).toBeInstanceOf(Fault);
    expect((await lastLine(probe)).status).toMatch(/DEADLINE_EXCEEDED|CANCELLED/);
  });

  test("a call without a deadline has 30 s", async () => {
    const probe = await start({ read: async (_, { deadlineMs }) => ({ text: String(deadlineMs - Date.now()) }) });
    const { bytes } = await read(probe);
    const { text } = Probe.read.responseDeserialize(bytes ?? Buffer.alloc(0));
    expect(Number(text)).toBeGreaterThan(29_000);
    expect(Number(text)).toBeLessThanOrEqual(30_000);
  });

  test("a client that goes away aborts the work", async () => {
    let begun = false;
    let aborted = false;
    const probe = await start({
      read: (_, { signal }) =>
        new Promise(() => {
          begun = true;
          signal.addEventListener("abort", () => {
            aborted = true;
          });
        }),
    });
    const call = callRaw(probe.address, Probe.read.path, Probe.read.requestSerialize({ name: "a" }), WITH_TOKEN);
    await eventually("the handler runs", () => begun);
    call.cancel();
    await eventually("the signal fires", () => aborted);
    expect(await lastLine(probe)).toMatchObject({ status: "CANCELLED" });
  });

  test("a defect of work that nobody waits for any more is logged all the same", async () => {
    const probe = await start({
      read: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new RangeError("too late to matter")));
        }),
    });
    const call = peerOf(probe).call(Probe.read, { name: "a" }, probeCall({ deadlineMs: Date.now() + 150 }));
    await expect(call).rejects.toMatchObject({ kind: "late" });
    await eventually("it is logged", () => JSON.stringify(probe.lines).includes("too late to matter"));
  });
});
