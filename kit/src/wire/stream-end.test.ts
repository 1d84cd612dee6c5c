import { afterEach, describe, expect, test } from "@jest/globals";
import { chat, gate, listening, readAll, silently, stuck, talking, textsOf } from "../testing/chats.js";
import { eventually } from "../testing/eventually.js";
import { faultOf } from "../testing/faults.js";
import { Probe, probeCall, type RunningProbe } from "../testing/probe.js";
import { probing } from "../testing/probing.js";
import { streamRaw } from "../testing/wire.js";
import { Fault } from "./fault.js";

const { start, peerAt, tapAt, end } = probing();

afterEach(end);

const WITH_TOKEN = { authorization: "Bearer good" };
const ADA = { name: "ada" };
const lastLine = (probe: RunningProbe) =>
  eventually("the call is logged", () => probe.lines.findLast(({ rpc }) => rpc !== undefined));

describe("a client that goes away", () => {
  test("ends the handler: its requests throw and never seem complete", async () => {
    const { heard, handle } = listening();
    const probe = await start({ chat: handle });
    const going = new AbortController();
    const responses = chat(peerAt(probe.address), stuck(ADA).requests, { signal: going.signal });
    const reading = (async () => {
      for await (const _response of responses) {
        going.abort();
      }
    })();
    expect(await faultOf(reading)).toBe("late");
    await eventually("the handler ends", () => heard.isDone);
    expect(heard).toMatchObject({ isComplete: false, thrown: { kind: "late", message: "the client went away" } });
    expect(await lastLine(probe)).toMatchObject({ status: "CANCELLED" });
  });

  test.each([
    ["nothing", []],
    ["small messages", [{ name: "b" }, { name: "c" }]],
    ["large messages", Array.from({ length: 5 }, () => ({ name: "b", text: "x".repeat(999_999) }))],
  ])("or whose connection breaks, with %s on the way, never seems to have sent everything", async (_what, sent) => {
    const heard: ReturnType<typeof listening>["heard"][] = [];
    const probe = await start({
      chat: (requests) => {
        const one = listening();
        heard.push(one.heard);
        return one.handle(requests);
      },
    });
    const network = await tapAt(probe.port);
    const peer = peerAt(network.address);
    const going = new AbortController();
    const streams = Array.from({ length: 20 }, (_, index) =>
      chat(peer, stuck(ADA, ...sent).requests, index < 10 ? { signal: going.signal } : {})[Symbol.asyncIterator](),
    );
    await Promise.all(streams.map((responses) => responses.next()));
    going.abort();
    network.cut();
    await eventually("all handlers end", () => heard.every(({ isDone }) => isDone));
    expect(heard.map(({ isComplete, thrown }) => [isComplete, thrown instanceof Fault])).toEqual(
      streams.map(() => [false, true]),
    );
  });

  test("ends a handler that answers without end, whether it heeds the signal or not", async () => {
    const { talked, handle } = talking();
    const probe = await start({ chat: handle });
    const { wire, received } = streamRaw(probe.address, Probe.chat.path, WITH_TOKEN);
    await eventually("it answers", () => received.length > 10);
    wire.cancel();
    await eventually("the handler ends", () => talked.isDone);
  });

  test("seems to have sent everything only when its last message says so, however long the reset is on its way", async () => {
    const { heard, handle } = listening();
    const probe = await start({ chat: handle });
    const announcing = { ...WITH_TOKEN, "assistant-last-request": "true" };
    const { wire, received } = streamRaw(probe.address, Probe.chat.path, announcing);
    wire.end(Probe.chat.requestSerialize(ADA));
    await eventually("the first is answered", () => received.length === 1);
    const peer = peerAt(probe.address);
    for (let asked = 0; asked < 50; asked += 1) {
      await peer.call(Probe.read, ADA, probeCall());
    }
    expect(heard.isDone).toBe(false);
    wire.cancel();
    await eventually("the handler ends", () => heard.isDone);
    expect(heard).toMatchObject({ isComplete: false, thrown: { message: "the client went away" } });
  });

  test("does not hide a defect of the handler, which is logged though nobody waits for it any more", async () => {
    const { opened, open } = gate();
    const probe = await start({
      chat: silently(async (requests) => {
        open();
        await readAll(requests).catch(() => {
          throw new RangeError("too late to matter");
        });
      }),
    });
    const going = new AbortController();
    const responses = chat(peerAt(probe.address), stuck(ADA).requests, { signal: going.signal });
    const texts = faultOf(textsOf(responses));
    await opened;
    going.abort();
    expect(await texts).toBe("late");
    await eventually("it is logged", () => JSON.stringify(probe.lines).includes("too late to matter"));
  });
});

describe("the deadline", () => {
  test("is answered, the requests throw it, and finally blocks run", async () => {
    const { heard, handle } = listening();
    const probe = await start({ chat: handle });
    const peer = peerAt(probe.address);
    await peer.call(Probe.read, ADA, probeCall());
    const deadlineMs = Date.now() + 1_000;
    expect(await faultOf(textsOf(chat(peer, stuck(ADA).requests, { deadlineMs })))).toBe("late");
    await eventually("the handler ends", () => heard.isDone);
    expect(heard).toMatchObject({ isComplete: false, thrown: { kind: "late" } });
  });

  test("holds for a handler that waits for something else: its answers are told to stop", async () => {
    let isReturned = false;
    const probe = await start({
      chat: () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise(() => {}),
          return: async () => {
            isReturned = true;
            return { done: true, value: undefined };
          },
        }),
      }),
    });
    const { answer } = streamRaw(probe.address, Probe.chat.path, WITH_TOKEN, { deadline: Date.now() + 1_000 });
    expect((await answer).code).toBe("DEADLINE_EXCEEDED");
    await eventually("the answers are told", () => isReturned);
  });
});

describe("stopping", () => {
  test("a running stream may finish within the grace", async () => {
    const probe = await start();
    const { wire, answer, received } = streamRaw(probe.address, Probe.chat.path, WITH_TOKEN);
    const ada = Probe.chat.requestSerialize(ADA);
    wire.write(ada);
    await eventually("the first is answered", () => received.length === 1);
    const stopped = probe.server.stop(5_000);
    wire.write(ada);
    await eventually("the second is answered", () => received.length === 2);
    wire.end(ada);
    expect((await answer).code).toBe("OK");
    expect(received).toHaveLength(3);
    await stopped;
  });

  test("one that outlives the grace is cut off as unavailable, and its handler is ended", async () => {
    const { heard, handle } = listening();
    const probe = await start({ chat: handle });
    const responses = chat(peerAt(probe.address), stuck(ADA).requests);
    const reading = (async () => {
      for await (const _response of responses) {
        await probe.server.stop(50);
      }
    })();
    expect(await faultOf(reading)).toBe("unavailable");
    await eventually("the handler ends", () => heard.isDone);
    expect(heard).toMatchObject({ isComplete: false, thrown: expect.any(Fault) });
  });
});
