import { Fault, late } from "@assistant/kit/wire/fault.js";

/** How long somebody waits for a job. */
export interface Patience {
  /** Aborted with a Fault once nobody waits any more: they went away, or the time is over. */
  readonly signal: AbortSignal;
  /** Ends it at once. */
  end(): void;
  /** To be called when the job is over. */
  close(): void;
}

/** `deadlineMs` is in epoch milliseconds. */
export function openPatience(signal: AbortSignal, deadlineMs: number): Patience {
  const controller = new AbortController();
  const end = (reason?: unknown) => {
    controller.abort(reason instanceof Fault ? reason : new Fault("late", "the job was given up", { cause: reason }));
  };
  const follow = () => end(signal.reason);
  const leftMs = deadlineMs - Date.now();
  const timer = setTimeout(() => end(late()), Math.min(Math.max(0, leftMs), TIMER_MAX_MS));
  signal.addEventListener("abort", follow, { once: true });
  if (signal.aborted) follow();
  if (leftMs <= 0) end(late());
  return {
    signal: controller.signal,
    end: () => end(),
    close() {
      clearTimeout(timer);
      signal.removeEventListener("abort", follow);
    },
  };
}

/** Node's timers fire at once beyond this. */
const TIMER_MAX_MS = 2 ** 31 - 1;
