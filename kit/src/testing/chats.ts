import type { Call } from "../wire/call.js";
import type { Peer } from "../wire/dial.js";
import { Probe, type ProbeRequest, type ProbeResponse, probeCall } from "./probe.js";

/** Chats with a peer; the call is that of the caller whom probes know, with these fields. */
export function chat(
  peer: Peer,
  requests: AsyncIterable<ProbeRequest>,
  fields: Partial<Call> = {},
): AsyncIterable<ProbeResponse> {
  return peer.stream(Probe.chat, requests, probeCall({ rpc: Probe.chat.path, ...fields }));
}

/** The texts of all responses. */
export async function textsOf(responses: AsyncIterable<ProbeResponse>): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of responses) {
    texts.push(text);
  }
  return texts;
}

/** A source of as many requests; remembers how far it got and that it was ended. */
export function produced(
  count: number,
  request: (index: number) => ProbeRequest = (index) => ({ name: String(index) }),
) {
  const progress = { count: 0, isDone: false };
  async function* produce(): AsyncGenerator<ProbeRequest> {
    try {
      while (progress.count < count) {
        progress.count += 1;
        yield request(progress.count - 1);
      }
    } finally {
      progress.isDone = true;
    }
  }
  return { progress, requests: produce() };
}

/** A source of these requests and then of none for ever; can be told to stop even while it is asked for one. */
export function stuck(...requests: readonly ProbeRequest[]) {
  const told = { isReturned: false };
  const left = [...requests];
  const source: AsyncIterable<ProbeRequest> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const value = left.shift();
        return value === undefined ? new Promise(() => {}) : Promise.resolve({ done: false, value });
      },
      return: () => {
        told.isReturned = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
  return { told, requests: source };
}

/** Handles chats by answering each request's name; remembers how the requests and the handler ended. */
export function listening() {
  const heard = { count: 0, isComplete: false, thrown: undefined as unknown, isDone: false };
  async function* handle(requests: AsyncIterable<ProbeRequest>): AsyncGenerator<ProbeResponse> {
    try {
      for await (const { name = "" } of requests) {
        heard.count += 1;
        yield { text: name };
      }
      heard.isComplete = true;
    } catch (error) {
      heard.thrown = error;
      throw error;
    } finally {
      heard.isDone = true;
    }
  }
  return { heard, handle };
}

/** Handles chats by answering without end; remembers that it was ended. */
export function talking() {
  const talked = { isDone: false };
  async function* handle(): AsyncGenerator<ProbeResponse> {
    try {
      for (;;) {
        yield { text: "more" };
      }
    } finally {
      talked.isDone = true;
    }
  }
  return { talked, handle };
}

/** A handler of chats that works and answers nothing. */
export function silently(work: (requests: AsyncIterable<ProbeRequest>, call: Call) => unknown) {
  return async function* handle(requests: AsyncIterable<ProbeRequest>, call: Call): AsyncGenerator<ProbeResponse> {
    await work(requests, call);
    yield* [];
  };
}

/** Reads requests to their end, or answers to theirs. */
export async function readAll(messages: AsyncIterable<unknown>): Promise<void> {
  const iterator = messages[Symbol.asyncIterator]();
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    // That they come is all there is to it.
  }
}

/** Handles chats by answering the first request and no other. */
export async function* answerFirst(requests: AsyncIterable<ProbeRequest>): AsyncGenerator<ProbeResponse> {
  for await (const { name = "" } of requests) {
    yield { text: name };
    return;
  }
}

/** Something to wait for until it is opened. */
export function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
