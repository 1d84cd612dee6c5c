import { getEventListeners } from "node:events";
import { afterEach, describe, expect, test } from "@jest/globals";
import { createLog } from "../process/log.js";
import { answerFirst, chat, gate, listening, produced, silently, stuck, talking, textsOf } from "../testing/chats.js";
import { eventually } from "../testing/eventually.js";
import { faultOf } from "../testing/faults.js";
import { Probe, type ProbeRequest, probeCall } from "../testing/probe.js";
import { probing } from "../testing/probing.js";
import { conflict, Fault, late } from "./fault.js";

const { start, peerAt, end } = probing();

afterEach(end);

const FIRST = { name: "first" };
const PAGE = { name: "a", text: "x".repeat(64 * 1_024) };

describe("messages", () => {
  test("10,000 go there and back, whole and in order", async () => {
    const { requests } = produced(10_000);
    const responses = chat(peerAt((await start()).address), requests, { deadlineMs: Date.now() + 100_000 });
    expect(await textsOf(responses)).toEqual(Array.from({ length: 10_000 }, (_, index) => String(index)));
  }, 120_000);

  test("large ones too: 4 MiB less what frames them", async () => {
    const probe = await start({
      async *chat(requests) {
        for await (const { text = "" } of requests) {
          yield { text };
        }
      },
    });
    const text = "x".repeat(4 * 1_024 * 1_024 - 32);
    const { requests } = produced(3, () => ({ name: "a", text }));
    const texts = await textsOf(chat(peerAt(probe.address), requests, { deadlineMs: Date.now() + 20_000 }));
    expect(texts.map((received) => received === text)).toEqual([true, true, true]);
  });

  test("a request that is larger fails the call, and its source is ended", async () => {
    const { requests, progress } = produced(3, () => ({ name: "a", text: "x".repeat(5 * 1_024 * 1_024) }));
    expect(await faultOf(textsOf(chat(peerAt((await start()).address), requests)))).toBe("internal");
    await eventually("the source is ended", () => progress.isDone);
  });

  test("no requests and no responses are a call like any other", async () => {
    expect(await textsOf(chat(peerAt((await start()).address), produced(0).requests))).toEqual([]);
  });

  test("what travels beside them does so as with a unary call, with the caller's time less 20 ms", async () => {
    const seen: unknown[] = [];
    const probe = await start({
      chat: silently((_requests, { ifMatch, idempotencyKey, requestId, caller, deadlineMs, reply }) => {
        seen.push([ifMatch, idempotencyKey, requestId, caller.token, deadlineMs - Date.now() <= 9_985]);
        reply.version = 3;
      }),
    });
    const peer = peerAt(probe.address);
    const deadlineMs = Date.now() + 10_000;
    const own = probeCall({ rpc: Probe.chat.path, ifMatch: "*", idempotencyKey: "k", deadlineMs });
    const outer = probeCall({ rpc: "/other.v1.Service/Do", ifMatch: "*", idempotencyKey: "k", deadlineMs });
    for (const call of [own, outer]) {
      await textsOf(peer.stream(Probe.chat, produced(0).requests, call));
    }
    expect(seen).toEqual([
      ["*", "k", "request-1", "good", true],
      [undefined, undefined, "request-1", "good", true],
    ]);
    expect([own.reply, outer.reply]).toEqual([{ version: 3 }, {}]);
  });
});

describe("a call that fails", () => {
  test("by a Fault of the peer ends its source, however much that would still give", async () => {
    const probe = await start({
      chat: silently(async (requests) => {
        for await (const { name } of requests) {
          if (name === "3") {
            throw conflict("name_taken", ["name"]);
          }
        }
      }),
    });
    const { requests, progress } = produced(Number.POSITIVE_INFINITY);
    await expect(textsOf(chat(peerAt(probe.address), requests))).rejects.toMatchObject({
      kind: "conflict",
      violations: [{ path: ["name"], type: "conflict", context: { reason: "name_taken" } }],
    });
    await eventually("the source is ended", () => progress.isDone);
  });

  test("does so though the source has nothing to give, and the source is told", async () => {
    const probe = await start({
      chat: silently(() => {
        throw new Fault("exhausted", "too much", { retryAfterS: 9 });
      }),
    });
    const { requests, told } = stuck();
    const texts = textsOf(chat(peerAt(probe.address), requests));
    await expect(texts).rejects.toMatchObject({ kind: "exhausted", retryAfterS: 9 });
    await eventually("the source is told", () => told.isReturned);
  });

  test("by a request that breaks a rule says which", async () => {
    const { requests } = produced(1, () => ({ name: "too long" }));
    await expect(textsOf(chat(peerAt((await start()).address), requests))).rejects.toMatchObject({
      kind: "invalid",
      violations: [{ path: ["name"], type: "string_too_long" }],
    });
  });

  test("by an error of the requests ends at the peer and throws that error", async () => {
    const { heard, handle } = listening();
    const broken = new RangeError("the file is cut short");
    const { opened, open } = gate();
    async function* requests(): AsyncGenerator<ProbeRequest> {
      yield FIRST;
      await opened;
      throw broken;
    }
    const responses = chat(peerAt((await start({ chat: handle })).address), requests());
    const reading = (async () => {
      for await (const _response of responses) {
        open();
      }
    })();
    await expect(reading).rejects.toBe(broken);
    await eventually("the handler ends", () => heard.isDone);
    expect(heard).toMatchObject({ isComplete: false, thrown: { message: "the client went away" } });
  });

  test("by an answer that does not decode ends at the peer", async () => {
    const { talked, handle } = talking();
    const garbled = {
      ...Probe.chat,
      responseDeserialize: () => {
        throw new RangeError("no such bytes");
      },
    };
    const peer = peerAt((await start({ chat: handle })).address);
    const work = peer.stream(garbled, produced(0).requests, probeCall())[Symbol.asyncIterator]().next();
    expect(await faultOf(work)).toBe("internal");
    await eventually("the handler ends", () => talked.isDone);
  });
});

describe("a handler that ends early", () => {
  test("ends the call well, and the source is ended", async () => {
    const peer = peerAt((await start({ chat: answerFirst })).address);
    const { requests, progress } = produced(Number.POSITIVE_INFINITY, () => PAGE);
    expect(await textsOf(chat(peer, requests))).toEqual(["a"]);
    await eventually("the source is ended", () => progress.isDone);
    const { requests: silent, told } = stuck(FIRST);
    expect(await textsOf(chat(peer, silent))).toEqual(["first"]);
    await eventually("the source is told", () => told.isReturned);
  });

  test("does not hide what goes wrong in the source after that: it is logged", async () => {
    const probe = await start({ chat: answerFirst });
    const lines: string[] = [];
    const peer = peerAt(probe.address, createLog("test", "0", "info", { write: (line) => lines.push(line) }));
    const { requests } = stuck(FIRST);
    const source: AsyncIterable<ProbeRequest> = {
      [Symbol.asyncIterator]: () => ({
        ...requests[Symbol.asyncIterator](),
        return: () => Promise.reject(new RangeError("the file does not close")),
      }),
    };
    expect(await textsOf(chat(peer, source))).toEqual(["first"]);
    await eventually("it is logged", () => lines.join().includes("the file does not close"));
  });
});

describe("giving up", () => {
  test("who stops reading gives the call up at the peer", async () => {
    const { talked, handle } = talking();
    const { requests, told } = stuck();
    const { signal } = new AbortController();
    for await (const { text } of chat(peerAt((await start({ chat: handle })).address), requests, { signal })) {
      expect(text).toBe("more");
      break;
    }
    await eventually("the handler ends", () => talked.isDone);
    await eventually("the source is told", () => told.isReturned);
    await eventually("nothing listens any more", () => getEventListeners(signal, "abort").length === 0);
  });

  test("even while the next response is waited for", async () => {
    const { heard, handle } = listening();
    const peer = peerAt((await start({ chat: handle })).address);
    const responses = chat(peer, stuck(FIRST).requests)[Symbol.asyncIterator]();
    await responses.next();
    const next = faultOf(responses.next());
    expect(await responses.return?.()).toEqual({ done: true, value: undefined });
    expect(await next).toBe("late");
    await eventually("the handler ends", () => heard.isDone);
  });

  test("a call that is given up is given up at the peer too, and fails with the reason", async () => {
    const { talked, handle } = talking();
    const peer = peerAt((await start({ chat: handle })).address);
    const controller = new AbortController();
    const { signal } = controller;
    const { requests, told } = stuck();
    const reading = (async () => {
      for await (const _response of chat(peer, requests, { signal })) {
        controller.abort(late("nobody waits for it"));
      }
    })();
    await expect(reading).rejects.toThrow("nobody waits for it");
    await eventually("the handler ends", () => talked.isDone);
    await eventually("the source is told", () => told.isReturned);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await expect(textsOf(chat(peer, produced(1).requests, { signal }))).rejects.toThrow("nobody waits for it");
  });

  test("with less than 50 ms left nothing is begun and no request is asked for", async () => {
    const { requests, progress } = produced(1);
    const texts = textsOf(chat(peerAt((await start()).address), requests, { deadlineMs: Date.now() + 65 }));
    expect(await faultOf(texts)).toBe("late");
    expect(progress.count).toBe(0);
  });

  test("a call that nobody reads does not begin", async () => {
    const { requests, progress } = produced(1);
    await chat(peerAt((await start()).address), requests)
      [Symbol.asyncIterator]()
      .return?.();
    expect(progress.count).toBe(0);
  });
});
