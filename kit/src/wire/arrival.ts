import type { ServerUnaryCall } from "@grpc/grpc-js";
import { Fault, late } from "./fault.js";

/** A call that has arrived: until when somebody waits for its answer. */
export interface Arrival {
  readonly deadlineMs: number;
  /** Aborted with a Fault when the deadline passes or the client goes away. */
  readonly signal: AbortSignal;
  /** The outcome of the work, or the Fault of the signal as soon as it is aborted: work is never awaited longer. */
  until<Result>(work: Promise<Result>): Promise<Result>;
  /** Ends the watch; to be called when the answer is there. */
  close(): void;
}

export function watchArrival<Request, Response>(wire: ServerUnaryCall<Request, Response>): Arrival {
  const deadlineMs = deadlineOf(wire);
  const controller = new AbortController();
  const end = (fault: Fault) => controller.abort(fault);
  const timer = setTimeout(() => end(late()), deadlineMs - Date.now());
  wire.once("cancelled", () => end(Date.now() >= deadlineMs ? late() : new Fault("late", "the client went away")));
  return {
    deadlineMs,
    signal: controller.signal,
    until: (work) =>
      new Promise((resolve, reject) => {
        const abandon = () => reject(controller.signal.reason);
        controller.signal.addEventListener("abort", abandon, { once: true });
        work.then(resolve, reject);
      }),
    close: () => clearTimeout(timer),
  };
}

/** A call that sets no deadline gets this one: nothing waits for ever. */
const DEFAULT_DEADLINE_MS = 30_000;

/** Node's timers fire at once beyond this. */
const TIMER_MAX_MS = 2 ** 31 - 1;

function deadlineOf<Request, Response>(wire: ServerUnaryCall<Request, Response>): number {
  const deadline = wire.getDeadline();
  const epochMs = deadline instanceof Date ? deadline.getTime() : deadline;
  const nowMs = Date.now();
  return Number.isFinite(epochMs) ? Math.min(epochMs, nowMs + TIMER_MAX_MS) : nowMs + DEFAULT_DEADLINE_MS;
}
