import type { Log } from "@assistant/kit/process/log.js";
import { type Fault, late, unavailable } from "@assistant/kit/wire/fault.js";
import type { Job, Result } from "../engine.js";
import { busy, tooComplex } from "../faults.js";
import { createFairQueue, type FairQueue } from "./queue.js";
import { createRefusedFiles, type RefusedFiles } from "./refused-files.js";
import type { Conversion, Outcome, Slot } from "./slot.js";
import { openSlots, type Slots } from "./slots.js";

/** Hands jobs to offices: fairly, one at a time to each, and each at most twice. */
export interface Pool {
  /** How many offices are warm. */
  readonly size: number;
  /** Whether one is warm, or will be soon. */
  readonly isAble: boolean;
  /** Throws a Fault. */
  convert(job: Job): Promise<Result>;
  close(): Promise<void>;
}

export interface PoolParts {
  readonly slots: number;
  readonly start: (signal: AbortSignal) => Promise<Slot>;
  /** How many jobs may wait. */
  readonly queueLimit: number;
  /** How long a job that nobody waits for any more may go on. */
  readonly graceMs: number;
  readonly log: Log;
}

export function openPool(parts: PoolParts): Pool {
  const queue = createFairQueue<Ticket>();
  const refused = createRefusedFiles(() => performance.now());
  const slots: Slots = openSlots({
    count: parts.slots,
    start: parts.start,
    log: parts.log,
    onFree: () => dispatch(state),
    onAbsent: (cause) => rejectAll(queue, () => unavailable("the office does not start", cause, 30)),
  });
  const state: State = { ...parts, queue, refused, pool: slots, large: 0, isClosing: false };
  return {
    get size() {
      return slots.size;
    },
    get isAble() {
      return slots.isAble;
    },
    convert: (job) => convert(state, job),
    async close() {
      state.isClosing = true;
      rejectAll(queue, stopping);
      await slots.close();
    },
  };
}

interface State extends PoolParts {
  readonly queue: FairQueue<Ticket>;
  readonly refused: RefusedFiles;
  readonly pool: Slots;
  /** How many large files are being converted. */
  large: number;
  isClosing: boolean;
}

/** A job and the promise of its result. */
interface Ticket {
  readonly job: Job;
  readonly isLarge: boolean;
  queuedAtMs: number;
  tries: number;
  queueMs: number;
  slot: Slot | undefined;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

async function convert(state: State, job: Job): Promise<Result> {
  if (state.refused.has(job.source.sha256)) throw tooComplex();
  if (state.isClosing) throw stopping();
  if (state.queue.size >= state.queueLimit) throw busy();
  let leave: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Result>((resolve, reject) => {
      const ticket: Ticket = {
        job,
        isLarge: job.source.sizeBytes > LARGE_BYTES,
        queuedAtMs: performance.now(),
        tries: 0,
        queueMs: 0,
        slot: undefined,
        resolve,
        reject,
      };
      leave = () => giveUp(state, ticket);
      timer = setTimeout(leave, Math.max(0, job.deadlineMs - Date.now()));
      job.signal.addEventListener("abort", leave);
      state.queue.add(job.callerId, ticket);
      if (job.signal.aborted) leave();
      dispatch(state);
    });
  } finally {
    clearTimeout(timer);
    if (leave !== undefined) job.signal.removeEventListener("abort", leave);
  }
}

/** Nobody waits for it any more. */
function giveUp({ queue, graceMs }: State, ticket: Ticket): void {
  queue.remove(ticket);
  ticket.reject(late());
  const { slot } = ticket;
  if (slot === undefined) return;
  // Most conversions are over sooner than another office would be warm, so this one gets the time that would take.
  const timer = setTimeout(() => {
    if (ticket.slot === slot) slot.kill();
  }, graceMs);
  timer.unref();
}

function dispatch(state: State): void {
  const mostLarge = state.slots > 1 ? state.slots - 1 : 1;
  const mayRun = (ticket: Ticket) => !ticket.isLarge || state.large < mostLarge;
  for (let slot = state.pool.acquire(); slot !== undefined; slot = state.pool.acquire()) {
    const ticket = state.queue.take(mayRun);
    if (ticket === undefined) {
      state.pool.putBack(slot);
      return;
    }
    void run(state, ticket, slot);
  }
}

async function run(state: State, ticket: Ticket, slot: Slot): Promise<void> {
  ticket.tries += 1;
  ticket.slot = slot;
  ticket.queueMs += performance.now() - ticket.queuedAtMs;
  state.large += ticket.isLarge ? 1 : 0;
  try {
    const outcome = await slot.convert(ticket.job);
    if (outcome.kind === "done") {
      ticket.resolve(resultOf(outcome, ticket.queueMs));
    } else if (outcome.kind === "lost" && mayTryAgain(state, ticket)) {
      ticket.queuedAtMs = performance.now();
      state.queue.addFirst(ticket.job.callerId, ticket);
    } else {
      ticket.reject(faultOf(state, ticket, outcome));
    }
  } catch (error) {
    ticket.reject(error);
  } finally {
    ticket.slot = undefined;
    state.large -= ticket.isLarge ? 1 : 0;
    state.pool.release(slot);
  }
}

function resultOf({ path, loadMs, exportMs }: Conversion, queueMs: number): Result {
  const timings = [
    { step: "queue", durationMs: queueMs },
    { step: "load", durationMs: loadMs },
    { step: "export", durationMs: exportMs },
  ];
  return { path, timings };
}

/** The office may have died of something else, so the file gets a second chance; a third nobody needs. */
function mayTryAgain(state: State, { job, tries }: Ticket): boolean {
  return tries < MOST_TRIES && !state.isClosing && isWaitedFor(job);
}

function faultOf(state: State, { job, tries }: Ticket, outcome: Exclude<Outcome, Conversion>): Fault {
  const { sha256 } = job.source;
  if (outcome.kind === "refused") {
    state.log.info({ sha256, reason: outcome.reason }, "the office does not take a file");
    return outcome.fault;
  }
  if (state.isClosing) return stopping();
  if (!isWaitedFor(job)) return late();
  state.log.warn({ sha256, tries, outcome: outcome.kind }, "a file has brought offices down");
  // Slow files too: they would be as slow the next time, and cost an office again.
  state.refused.add(sha256);
  return outcome.kind === "slow" ? late("the office took too long") : tooComplex();
}

function isWaitedFor({ signal, deadlineMs }: Job): boolean {
  return !signal.aborted && Date.now() < deadlineMs;
}

function rejectAll(queue: FairQueue<Ticket>, fault: () => Fault): void {
  for (let ticket = queue.take(() => true); ticket !== undefined; ticket = queue.take(() => true)) {
    ticket.reject(fault());
  }
}

function stopping(): Fault {
  return unavailable("the service is stopping");
}

const MOST_TRIES = 2;
const LARGE_BYTES = 5_000_000;
