import { afterEach, describe, expect, test } from "@jest/globals";
import { createLog } from "../process/log.js";
import { eventually } from "../testing/eventually.js";
import { faultOf } from "../testing/faults.js";
import { Probe, probeCall, probeRegistry, startProbe } from "../testing/probe.js";
import { tap } from "../testing/wiretap.js";
import { dial, type Peer } from "./dial.js";
import { conflict, Fault, late, unavailable } from "./fault.js";

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

const peerAt = (address: string, log = createLog("test", "0", "silent")): Peer => {
  const peer = dial({ from: "friend", to: "probe", address, registry: probeRegistry, log });
  ending.push(() => peer.close());
  return peer;
};

const read = (peer: Peer, fields = {}) => peer.call(Probe.read, { name: "a" }, probeCall(fields));
const write = (peer: Peer, fields = {}) =>
  peer.call(Probe.write, { name: "a" }, probeCall({ rpc: Probe.write.path, ...fields }));
/** A handler that fails some times, then answers; counts how often it was asked. */
function failing(times: number, fault: () => Fault) {
  const counted = {
    asked: 0,
    handle: async () => {
      counted.asked += 1;
      if (counted.asked <= times) {
        throw fault();
      }
      return { text: "ok" };
    },
  };
  return counted;
}

describe("repeating", () => {
  test("what changes nothing is asked up to four times while the peer is unavailable", async () => {
    const third = failing(3, () => unavailable("away"));
    const peer = peerAt((await start({ read: third.handle })).address);
    expect(await read(peer)).toEqual({ text: "ok" });
    expect(third.asked).toBe(4);
  });

  test("after four times it is given up", async () => {
    const never = failing(Number.POSITIVE_INFINITY, () => unavailable("away", undefined, 7));
    const peer = peerAt((await start({ read: never.handle })).address);
    await expect(read(peer)).rejects.toMatchObject({ kind: "unavailable", retryAfterS: 7 });
    expect(never.asked).toBe(4);
  });

  test("a write is asked once", async () => {
    const once = failing(1, () => unavailable("away"));
    const peer = peerAt((await start({ write: once.handle })).address);
    expect(await faultOf(write(peer))).toBe("unavailable");
    expect(once.asked).toBe(1);
  });

  test.each([
    ["conflict", () => conflict("state")],
    ["late", () => late()],
    ["internal", () => new Fault("internal", "broken")],
  ])("%s is no reason to ask again", async (kind, fault) => {
    const once = failing(1, fault);
    const peer = peerAt((await start({ read: once.handle })).address);
    expect(await faultOf(read(peer))).toBe(kind);
    expect(once.asked).toBe(1);
  });

  test("nothing is repeated that could not be answered before the deadline", async () => {
    const never = failing(Number.POSITIVE_INFINITY, () => unavailable("away"));
    const peer = peerAt((await start({ read: never.handle })).address);
    // The connection is there before the time begins to run.
    await write(peer);
    expect(await faultOf(read(peer, { deadlineMs: Date.now() + 300 }))).toBe("unavailable");
    expect(never.asked).toBeLessThan(4);
  });
});

describe("deadlines and cancelling", () => {
  test("the peer has the caller's time less 20 ms", async () => {
    let given = 0;
    let leftMs = 0;
    const probe = await start({
      read: async (_, { deadlineMs }) => {
        given = deadlineMs;
        leftMs = deadlineMs - Date.now();
        return { text: "" };
      },
    });
    const deadlineMs = Date.now() + 2_000;
    await read(peerAt(probe.address), { deadlineMs });
    // The time left travels, so that the way takes nothing off it.
    expect(leftMs).toBeLessThanOrEqual(1_985);
    expect(deadlineMs - given).toBeLessThan(80);
  });

  test("with less than 50 ms left nothing is begun", async () => {
    const counted = failing(0, () => late());
    const peer = peerAt((await start({ read: counted.handle })).address);
    expect(await faultOf(read(peer, { deadlineMs: Date.now() + 65 }))).toBe("late");
    expect(await faultOf(read(peer, { deadlineMs: Date.now() - 1_000 }))).toBe("late");
    expect(counted.asked).toBe(0);
  });

  test("a call that is given up is given up at the peer too, and fails with the reason", async () => {
    let begun = false;
    let aborted = false;
    const probe = await start({
      write: (_, { signal }) =>
        new Promise(() => {
          begun = true;
          signal.addEventListener("abort", () => {
            aborted = true;
          });
        }),
    });
    const controller = new AbortController();
    const call = faultOf(write(peerAt(probe.address), { signal: controller.signal }));
    await eventually("the handler runs", () => begun);
    controller.abort(late("the client went away"));
    expect(await call).toBe("late");
    await eventually("the peer hears of it", () => aborted);
    const again = write(peerAt(probe.address), { signal: controller.signal });
    await expect(again).rejects.toThrow("the client went away");
  });

  test("a frozen peer holds nobody beyond the deadline", async () => {
    const wire = await tap((await start()).port);
    ending.push(() => wire.close());
    const peer = peerAt(wire.address);
    await read(peer);
    wire.freeze();
    const startedMs = Date.now();
    expect(await faultOf(read(peer, { deadlineMs: startedMs + 300 }))).toBe("late");
    expect(Date.now() - startedMs).toBeLessThan(1_000);
  });
});

describe("a peer that goes and comes", () => {
  test("nobody there fails at once, not at the deadline", async () => {
    const probe = await startProbe();
    await probe.server.stop(0);
    const peer = peerAt(probe.address);
    const startedMs = Date.now();
    await expect(write(peer)).rejects.toMatchObject({ kind: "unavailable", retryAfterS: 1 });
    expect(await faultOf(read(peer))).toBe("unavailable");
    expect(Date.now() - startedMs).toBeLessThan(1_000);
  });

  test("one that is killed in the middle of a write makes it unavailable, and of a read asks again", async () => {
    let asked = 0;
    const probe = await start({
      read: () => {
        asked += 1;
        return asked === 1 ? new Promise(() => {}) : Promise.resolve({ text: "second" });
      },
      write: () => {
        asked += 1;
        return new Promise(() => {});
      },
    });
    const wire = await tap(probe.port);
    ending.push(() => wire.close());
    const peer = peerAt(wire.address);
    const reading = read(peer);
    await eventually("the handler runs", () => asked === 1);
    wire.cut();
    wire.mend();
    expect(await reading).toEqual({ text: "second" });
    const writing = faultOf(write(peer));
    await eventually("the handler runs", () => asked === 3);
    wire.cut();
    expect(await writing).toBe("unavailable");
    expect(asked).toBe(3);
  });

  test("one that comes back is found within a second", async () => {
    const probe = await start();
    const wire = await tap(probe.port);
    ending.push(() => wire.close());
    const peer = peerAt(wire.address);
    await read(peer);
    wire.cut();
    const awayUntilMs = Date.now() + 1_500;
    await eventually("it has been away for a while", async () => {
      expect(await faultOf(write(peer))).toBe("unavailable");
      return Date.now() > awayUntilMs;
    });
    wire.mend();
    const backMs = Date.now();
    await eventually("it answers", async () => (await faultOf(write(peer))) === undefined);
    // The breaker's probe and the connection's next try are each at most about a second apart.
    expect(Date.now() - backMs).toBeLessThan(2_200);
  });

  test("one that is shutting down cuts calls off as unavailable, never as a failure of ours", async () => {
    let begun = false;
    const probe = await start({
      write: () => {
        begun = true;
        return new Promise(() => {});
      },
    });
    const call = faultOf(write(peerAt(probe.address)));
    await eventually("the handler runs", () => begun);
    await probe.server.stop(20);
    expect(await call).toBe("unavailable");
  });

  test("one of an older release, which does not know the rpc, is unavailable", async () => {
    const probe = await start({}, { services: [] });
    expect(await faultOf(write(peerAt(probe.address)))).toBe("unavailable");
  });
});

describe("limits", () => {
  test("256 calls are in flight at most; the next is refused at once", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let running = 0;
    const probe = await start({
      read: async () => {
        running += 1;
        await released;
        return { text: "" };
      },
    });
    const peer = peerAt(probe.address);
    const calls = Array.from({ length: 256 }, () => read(peer));
    await eventually("all run", () => running === 256);
    await expect(read(peer)).rejects.toMatchObject({ kind: "unavailable", retryAfterS: 1 });
    release();
    await Promise.all(calls);
    expect(await read(peer)).toEqual({ text: "" });
  });

  test("a peer that fails is left alone, and called again once it answers", async () => {
    const sick = failing(20, () => unavailable("away"));
    const lines: string[] = [];
    const log = createLog("test", "0", "info", { write: (line) => lines.push(line) });
    const peer = peerAt((await start({ write: sick.handle })).address, log);
    for (let call = 0; call < 20; call += 1) {
      expect(await faultOf(write(peer))).toBe("unavailable");
    }
    expect(await faultOf(write(peer))).toBe("unavailable");
    expect(sick.asked).toBe(20);
    await eventually("a probe is let through", async () => (await faultOf(write(peer))) === undefined);
    expect(sick.asked).toBe(21);
    expect(await write(peer)).toEqual({ text: "ok" });
    expect(lines.map((line) => JSON.parse(line).open)).toEqual([true, false]);
  });

  test("an answer over 4 MiB is a failure of the peer, not a crash", async () => {
    const probe = await start({ write: async () => ({ text: "x".repeat(5 * 1_024 * 1_024) }) });
    expect(await faultOf(write(peerAt(probe.address)))).toBe("internal");
  });
});

describe("calls on the way of another", () => {
  test("carry caller and request id, but neither the condition nor the key of the call they serve", async () => {
    const seen: unknown[] = [];
    const probe = await start({
      write: async (_, { ifMatch, idempotencyKey, requestId, reply }) => {
        seen.push([ifMatch, idempotencyKey, requestId]);
        reply.version = 3;
        return { text: "" };
      },
    });
    const peer = peerAt(probe.address);
    const outer = probeCall({ rpc: "/other.v1.Service/Do", ifMatch: "*", idempotencyKey: "k" });
    await peer.call(Probe.write, { name: "a" }, outer);
    const own = probeCall({ rpc: Probe.write.path, ifMatch: "*", idempotencyKey: "k" });
    await peer.call(Probe.write, { name: "a" }, own);
    expect(seen).toEqual([
      [undefined, undefined, "request-1"],
      ["*", "k", "request-1"],
    ]);
    expect([outer.reply, own.reply]).toEqual([{}, { version: 3 }]);
  });
});
