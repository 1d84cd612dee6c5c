import type { Readable, Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { late } from "./fault.js";

/** The outcome of work, or the reason of the signal as soon as it is aborted. */
export function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abandon = () => reject(signal.reason);
    const settled = () => signal.removeEventListener("abort", abandon);
    signal.addEventListener("abort", abandon, { once: true });
    work.then(resolve, reject);
    work.then(settled, settled);
    if (signal.aborted) {
      abandon();
    }
  });
}

/** Throws the reason of the signal once it is aborted. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return orAborted(new Promise<never>(() => {}), signal);
}

/**
 * The messages that a stream brings, taken from it only as they are asked for. Throws the reason of the signal as soon as
 * it is aborted. The stream is left open: whoever stops reading may still write to it.
 */
export async function* messagesOf(source: Readable, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
  let wake = () => {};
  const ring = () => wake();
  for (const event of NEWS) {
    source.on(event, ring);
  }
  signal.addEventListener("abort", ring);
  try {
    for (;;) {
      signal.throwIfAborted();
      const message: Buffer | null = source.read();
      if (message !== null) {
        yield message;
      } else if (source.readableEnded) {
        // A stream that is cut off has its end told first, and only then that it was cut off.
        await nextTurn();
        signal.throwIfAborted();
        return;
      } else if (source.destroyed) {
        // What was cut short must not look whole.
        throw late("the call is over");
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    for (const event of NEWS) {
      source.off(event, ring);
    }
    signal.removeEventListener("abort", ring);
  }
}

/** Takes messages no faster than the other side reads them. */
export interface Outlet {
  /** Resolves when the next message may come; throws the reason of the signal. */
  send(bytes: Buffer): Promise<void>;
  /** Resolves when everything is on its way. */
  flush(): Promise<void>;
}

export function createOutlet(sink: Writable, signal: AbortSignal): Outlet {
  let written = Promise.resolve();
  return {
    async send(bytes) {
      signal.throwIfAborted();
      let hasRoom = true;
      // A write that fails does so with the whole call, of which the signal tells.
      written = new Promise((resolve) => {
        hasRoom = sink.write(bytes, () => resolve());
      });
      if (!hasRoom) {
        await orAborted(written, signal);
      }
    },
    flush: () => orAborted(written, signal),
  };
}

/**
 * Hands over one by one what a source brings. When the signal is aborted the source is told at once by `return()`, even
 * while it is asked for more; ends when the source does, so that nothing that goes wrong in it is lost.
 */
export function pump<Item>(
  source: AsyncIterable<Item>,
  take: (item: Item) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const items = source[Symbol.asyncIterator]();
    const giveBack = async () => {
      await items.return?.();
    };
    const abandon = () => {
      giveBack().catch(reject);
    };
    const settled = () => signal.removeEventListener("abort", abandon);
    signal.addEventListener("abort", abandon, { once: true });
    if (signal.aborted) {
      abandon();
    }
    const moving = move(items, take, signal, giveBack);
    moving.then(resolve, reject);
    moving.then(settled, settled);
  });
}

const NEWS = ["readable", "end", "close"] as const;

async function move<Item>(
  items: AsyncIterator<Item>,
  take: (item: Item) => Promise<void>,
  signal: AbortSignal,
  giveBack: () => Promise<void>,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const next = await items.next();
    if (next.done === true) {
      return;
    }
    try {
      await take(next.value);
    } catch (error) {
      if (!signal.aborted) {
        await giveBack();
      }
      throw error;
    }
  }
}
