import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import { chat, gate, produced, readAll, textsOf } from "../testing/chats.js";
import { Probe, probeCall } from "../testing/probe.js";
import { probing } from "../testing/probing.js";

const { start, peerAt, end } = probing();

afterEach(end);

const PAGE = "x".repeat(64 * 1_024);
const PAGES = 1_000;
/** What the buffers of both ends and of the network hold of such pages, and half as many again. */
const UNREAD_MAX = 60;
const call = () => ({ deadlineMs: Date.now() + 60_000 });
const pages = () => produced(PAGES, () => ({ name: "page", text: PAGE }));

test("requests are taken no faster than the peer reads them", async () => {
  const { requests, progress } = pages();
  let read = 0;
  let unreadMax = 0;
  const probe = await start({
    async *chat(received) {
      for await (const _page of received) {
        read += 1;
        unreadMax = Math.max(unreadMax, progress.count - read);
        await turns(10);
      }
      yield { text: String(read) };
    },
  });
  expect(await textsOf(chat(peerAt(probe.address), requests, call()))).toEqual([String(PAGES)]);
  expect(unreadMax).toBeLessThan(UNREAD_MAX);
});

test("a peer that reads nothing is sent no more than the buffers hold, until it reads", async () => {
  const { requests, progress } = pages();
  const { opened, open } = gate();
  const probe = await start({
    async *chat(received) {
      await opened;
      await readAll(received);
      yield { text: "read" };
    },
  });
  const peer = peerAt(probe.address);
  const texts = textsOf(chat(peer, requests, call()));
  // Other calls go by meanwhile, in the time of which everything would long have been sent.
  for (let asked = 0; asked < 200; asked += 1) {
    await peer.call(Probe.read, { name: "a" }, probeCall());
  }
  expect(progress.count).toBeGreaterThan(1);
  expect(progress.count).toBeLessThan(UNREAD_MAX);
  open();
  expect(await texts).toEqual(["read"]);
  expect(progress.count).toBe(PAGES);
});

test("small ones are no exception: not the number counts but what they weigh together", async () => {
  const { requests, progress } = produced(5_000, () => ({ name: "a", text: "x".repeat(1_024) }));
  const { opened, open } = gate();
  const probe = await start({
    async *chat(received) {
      await opened;
      yield { text: "opened" };
      await readAll(received);
    },
  });
  const peer = peerAt(probe.address);
  const texts = textsOf(chat(peer, requests, call()));
  for (let asked = 0; asked < 200; asked += 1) {
    await peer.call(Probe.read, { name: "a" }, probeCall());
  }
  expect(progress.count).toBeGreaterThan(1);
  expect(progress.count).toBeLessThan(500);
  open();
  expect(await texts).toEqual(["opened"]);
  expect(progress.count).toBe(5_000);
});

test("the handler is asked no faster than its answers are read", async () => {
  let answered = 0;
  const probe = await start({
    async *chat() {
      while (answered < PAGES) {
        answered += 1;
        yield { text: PAGE };
      }
    },
  });
  let read = 0;
  let unreadMax = 0;
  for await (const _response of chat(peerAt(probe.address), produced(0).requests, call())) {
    read += 1;
    unreadMax = Math.max(unreadMax, answered - read);
    await turns(10);
  }
  expect(read).toBe(PAGES);
  expect(unreadMax).toBeLessThan(UNREAD_MAX);
});

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await nextTurn();
  }
}
