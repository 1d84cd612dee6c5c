import type { IncomingMessage } from "node:http";
import { hasBody } from "./body.js";

/** How long the body of a request may take to arrive, unless it is allowed another time. */
export const BODY_MS = 60_000;

/** Calls `onLate` where the body of a request is not there in time. */
export function watchBody(request: IncomingMessage, timeMs: number, onLate: () => void): void {
  if (!hasBody(request)) return;
  const watch = { onLate, timer: startTimer(request, timeMs, onLate) };
  watches.set(request, watch);
  request.once("close", () => clearTimeout(watch.timer));
}

/** Gives the body of a request that much time from now on instead. */
export function allowBody(request: IncomingMessage, timeMs: number): void {
  const watch = watches.get(request);
  if (watch === undefined || request.closed) return;
  clearTimeout(watch.timer);
  watch.timer = startTimer(request, timeMs, watch.onLate);
}

interface Watch {
  readonly onLate: () => void;
  timer: NodeJS.Timeout;
}

const watches = new WeakMap<IncomingMessage, Watch>();

function startTimer(request: IncomingMessage, timeMs: number, onLate: () => void): NodeJS.Timeout {
  // A body that is there, though not read yet, is not late.
  const judge = () => (request.complete ? undefined : onLate());
  return setTimeout(judge, timeMs).unref();
}
