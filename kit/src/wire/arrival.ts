import type { ServerUnaryCall } from "@grpc/grpc-js";
import { Fault, late } from "./fault.js";
import { orAborted } from "./flow.js";

/** A call that has arrived: until when somebody waits for its answer. */
export interface Arrival {
  readonly deadlineMs: number;
  /** Aborted with a Fault when the deadline passes, the client goes away or the call is ended. */
  readonly signal: AbortSignal;
  /** The outcome of the work, or the Fault of the signal as soon as it is aborted: work is never awaited longer. */
  until<Result>(work: Promise<Result>): Promise<Result>;
  /** Ends the call before its work does. */
  end(fault: Fault): void;
  /** Ends the watch; to be called when the answer is there. */
  close(): void;
}

/** A call as grpc-js hands it over, whether its messages stream or not. */
export interface Wire extends Pick<ServerUnaryCall<Buffer, Buffer>, "metadata" | "cancelled" | "getDeadline"> {
  once(event: "cancelled", listener: () => void): unknown;
  off(event: "cancelled", listener: () => void): unknown;
}

export function watchArrival(wire: Wire): Arrival {
  const deadlineMs = deadlineOf(wire);
  const controller = new AbortController();
  const end = (fault: Fault) => controller.abort(fault);
  const timer = setTimeout(() => end(late()), deadlineMs - Date.now());
  const goAway = () => end(Date.now() >= deadlineMs ? late() : new Fault("late", "the client went away"));
  wire.once("cancelled", goAway);
  return {
    deadlineMs,
    signal: controller.signal,
    until: (work) => orAborted(work, controller.signal),
    end,
    close: () => {
      clearTimeout(timer);
      // A stream says that it was cancelled whenever it is over.
      wire.off("cancelled", goAway);
    },
  };
}

/** A call that sets no deadline gets this one: nothing waits for ever. */
const DEFAULT_DEADLINE_MS = 30_000;

/** Node's timers fire at once beyond this. */
const TIMER_MAX_MS = 2 ** 31 - 1;

function deadlineOf(wire: Wire): number {
  const deadline = wire.getDeadline();
  const epochMs = deadline instanceof Date ? deadline.getTime() : deadline;
  const nowMs = Date.now();
  return Number.isFinite(epochMs) ? Math.min(epochMs, nowMs + TIMER_MAX_MS) : nowMs + DEFAULT_DEADLINE_MS;
}
