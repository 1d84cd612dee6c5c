import { afterEach, describe, expect, test } from "@jest/globals";
import { chat, gate, listening, produced, readAll, silently, stuck, textsOf } from "../testing/chats.js";
import { eventually } from "../testing/eventually.js";
import { faultOf } from "../testing/faults.js";
import { Probe, probeCall, startProbe } from "../testing/probe.js";
import { probing } from "../testing/probing.js";
import type { Peer } from "./dial.js";
import { unavailable } from "./fault.js";

const { start, peerAt, tapAt, end } = probing();

afterEach(end);

// grpc-js pings every 20 s where it is not told otherwise.
const LONGER_THAN_PINGS_MS = 25_000;
const FIRST = { name: "first" };
const forEver = () => silently(() => new Promise(() => {}));
const warmUp = (peer: Peer) => textsOf(peer.stream(Probe.dictate, produced(1).requests, probeCall()));

describe("a peer that is slow or away", () => {
  test("a handler that never ends holds nobody beyond the deadline", async () => {
    const peer = peerAt((await start({ chat: forEver() })).address);
    await warmUp(peer);
    expect(await faultOf(textsOf(chat(peer, produced(0).requests, { deadlineMs: Date.now() + 200 })))).toBe("late");
  });

  test("a stream outlives the age at which connections are let go, and the pings of either side", async () => {
    const opened = gate();
    const { address } = await start(
      {
        async *chat() {
          yield { text: "before" };
          await opened.opened;
          yield { text: "after" };
        },
      },
      { connectionAgeMs: 500 },
    );
    setTimeout(opened.open, LONGER_THAN_PINGS_MS);
    const texts = await textsOf(chat(peerAt(address), produced(0).requests, { deadlineMs: Date.now() + 60_000 }));
    expect(texts).toEqual(["before", "after"]);
  }, 60_000);

  test("nor does one that freezes, neither who sends nor who reads", async () => {
    const network = await tapAt((await start()).port);
    const peer = peerAt(network.address);
    await warmUp(peer);
    const { requests, progress } = produced(Number.POSITIVE_INFINITY, () => ({ name: "a", text: "x".repeat(65_536) }));
    const responses = chat(peer, requests, { deadlineMs: Date.now() + 1_000 });
    const reading = (async () => {
      for await (const _response of responses) {
        network.freeze();
      }
    })();
    expect(await faultOf(reading)).toBe("late");
    await eventually("the source is ended", () => progress.isDone);
  });

  test("one that is killed is unavailable, is not asked again, and the source is ended", async () => {
    const { heard, handle } = listening();
    let asked = 0;
    const probe = await start({
      chat: (requests) => {
        asked += 1;
        return handle(requests);
      },
    });
    const network = await tapAt(probe.port);
    const { requests, progress } = produced(Number.POSITIVE_INFINITY);
    const responses = chat(peerAt(network.address), requests);
    const reading = (async () => {
      for await (const { text } of responses) {
        if (text === "10") {
          network.cut();
          network.mend();
        }
      }
    })();
    await expect(reading).rejects.toMatchObject({ kind: "unavailable", retryAfterS: 1 });
    await eventually("the source is ended", () => progress.isDone);
    await eventually("the handler ends", () => heard.isDone);
    expect(asked).toBe(1);
  });

  test("nobody there, one of an older release and one that says so are unavailable and asked once", async () => {
    let asked = 0;
    const away = await startProbe();
    await away.server.stop(0);
    const older = await start({}, { services: [] });
    const sick = await start({
      chat: silently(() => {
        asked += 1;
        throw unavailable("away");
      }),
    });
    for (const { address } of [away, older, sick]) {
      expect(await faultOf(textsOf(chat(peerAt(address), stuck(FIRST).requests)))).toBe("unavailable");
    }
    expect(asked).toBe(1);
  });
});

describe("limits", () => {
  test("streams take places among the 256 calls in flight and give them back, even if nobody reads on", async () => {
    const { opened, open } = gate();
    const probe = await start({
      async *chat() {
        yield { text: "first" };
        await opened;
      },
    });
    const peer = peerAt(probe.address);
    const streams = Array.from({ length: 256 }, () => chat(peer, stuck().requests)[Symbol.asyncIterator]());
    await Promise.all(streams.map((stream) => stream.next()));
    expect(await faultOf(peer.call(Probe.read, FIRST, probeCall()))).toBe("unavailable");
    expect(await faultOf(textsOf(chat(peer, stuck().requests)))).toBe("unavailable");
    open();
    // They end by themselves: no other response is asked for.
    await eventually("all places are free", async () => {
      const calls = Array.from({ length: 256 }, () => peer.call(Probe.read, FIRST, probeCall()));
      return (await Promise.all(calls.map(faultOf))).every((fault) => fault === undefined);
    });
  });

  test("streams to a peer that fails count for its breaker, and one that succeeds closes it", async () => {
    let asked = 0;
    const probe = await start({
      chat: silently(() => {
        asked += 1;
        if (asked <= 20) {
          throw unavailable("away");
        }
      }),
    });
    const peer = peerAt(probe.address);
    const ask = () => faultOf(textsOf(chat(peer, produced(0).requests)));
    for (let call = 0; call < 20; call += 1) {
      expect(await ask()).toBe("unavailable");
    }
    expect(await ask()).toBe("unavailable");
    expect(asked).toBe(20);
    await eventually("a probe is let through", async () => (await ask()) === undefined);
    expect(await ask()).toBe(undefined);
  });

  test("streams that are late for want of requests say nothing against the peer", async () => {
    const peer = peerAt((await start()).address);
    await warmUp(peer);
    const ask = () => faultOf(textsOf(chat(peer, stuck(FIRST).requests, { deadlineMs: Date.now() + 500 })));
    const slow = Array.from({ length: 25 }, ask);
    expect(await Promise.all(slow)).toEqual(slow.map(() => "late"));
    expect(await textsOf(chat(peer, produced(1).requests))).toEqual(["0"]);
  });

  test("streams that are late though the peer has all requests do", async () => {
    const peer = peerAt((await start({ chat: silently(readAllAndWait) })).address);
    await warmUp(peer);
    const ask = (deadlineMs: number) => textsOf(chat(peer, produced(1).requests, { deadlineMs }));
    const slow = Array.from({ length: 25 }, () => faultOf(ask(Date.now() + 500)));
    expect(await Promise.all(slow)).toEqual(slow.map(() => "late"));
    await expect(ask(Date.now() + 5_000)).rejects.toMatchObject({ kind: "unavailable" });
  });
});

async function readAllAndWait(requests: AsyncIterable<unknown>): Promise<void> {
  await readAll(requests);
  await new Promise(() => {});
}
