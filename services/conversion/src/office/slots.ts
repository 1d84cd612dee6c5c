import type { Log } from "@assistant/kit/process/log.js";
import type { Slot } from "./slot.js";

/** The offices that are at work, always as many as wanted, as far as that can be had. */
export interface Slots {
  /** How many are warm. */
  readonly size: number;
  /** Whether one is warm, or will be soon: what waits meanwhile does not wait in vain. */
  readonly isAble: boolean;
  /** A warm one that does nothing; it is the caller's until released. */
  acquire(): Slot | undefined;
  /** It has done a job, and may be worn by it. */
  release(slot: Slot): void;
  /** There was nothing for it to do. */
  putBack(slot: Slot): void;
  /** Kills all, and resolves when nothing of them is left. */
  close(): Promise<void>;
}

export interface SlotsParts {
  readonly count: number;
  readonly start: (signal: AbortSignal) => Promise<Slot>;
  /** Called whenever an office may have become free. */
  readonly onFree: () => void;
  /** Called when none is warm, and none could be started several times in a row. */
  readonly onAbsent: (cause: unknown) => void;
  readonly log: Log;
}

export function openSlots(parts: SlotsParts): Slots {
  const state: State = {
    ...parts,
    all: new Set(),
    busy: new Set(),
    retired: new Set(),
    starting: new Set(),
    clearing: new Set(),
    failures: 0,
    wasWarm: false,
    retry: undefined,
    closing: new AbortController(),
  };
  fill(state);
  return {
    get size() {
      return state.all.size;
    },
    get isAble() {
      return isAble(state);
    },
    acquire() {
      const slot = [...state.all].find((one) => isIdle(state, one));
      if (slot !== undefined) state.busy.add(slot);
      return slot;
    },
    release(slot) {
      state.busy.delete(slot);
      if (state.retired.has(slot)) slot.kill();
      fill(state);
      parts.onFree();
    },
    putBack: (slot) => void state.busy.delete(slot),
    close: () => close(state),
  };
}

interface State extends SlotsParts {
  readonly all: Set<Slot>;
  readonly busy: Set<Slot>;
  /** Replaced, and to be ended as soon as they are free. */
  readonly retired: Set<Slot>;
  readonly starting: Set<Promise<void>>;
  readonly clearing: Set<Promise<void>>;
  failures: number;
  wasWarm: boolean;
  retry: NodeJS.Timeout | undefined;
  readonly closing: AbortController;
}

function isAble({ all, wasWarm, failures }: State): boolean {
  return all.size > 0 || (wasWarm && failures < HOPELESS_FAILURES);
}

function isIdle({ busy, retired }: State, slot: Slot): boolean {
  return slot.isUp() && !busy.has(slot) && !retired.has(slot);
}

/** Starts what is missing. A worn office counts as missing, but stays at work until its replacement is warm. */
function fill(state: State): void {
  const good = [...state.all].filter((slot) => slot.worn() === undefined).length;
  // After a failure one at a time, and not at once: whatever is wrong will be wrong for all.
  const most = state.failures === 0 ? state.count : Math.min(state.count, good + 1);
  if (state.closing.signal.aborted || state.retry !== undefined) return;
  for (let missing = most - good - state.starting.size; missing > 0; missing--) {
    const starting = startOne(state).finally(() => {
      state.starting.delete(starting);
      fill(state);
    });
    state.starting.add(starting);
  }
}

async function startOne(state: State): Promise<void> {
  const { log } = state;
  const beganMs = performance.now();
  try {
    const slot = await state.start(state.closing.signal);
    state.failures = 0;
    state.wasWarm = true;
    state.all.add(slot);
    watch(state, slot);
    log.info({ durationMs: Math.round(performance.now() - beganMs) }, "an office is warm");
    retireWorn(state);
    state.onFree();
  } catch (error) {
    if (state.closing.signal.aborted) return;
    log.error({ err: error }, "an office does not start");
    state.failures += 1;
    waitAfterFailure(state);
    if (!isAble(state)) state.onAbsent(error);
  }
}

function watch(state: State, slot: Slot): void {
  void slot.down.then(() => {
    state.all.delete(slot);
    state.retired.delete(slot);
    fill(state);
  });
  const clearing = slot.cleared
    .catch((error: unknown) => state.log.error({ err: error }, "an office left files behind"))
    .finally(() => state.clearing.delete(clearing));
  state.clearing.add(clearing);
}

function waitAfterFailure(state: State): void {
  clearTimeout(state.retry);
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (state.failures - 1), LONGEST_WAIT_MS);
  state.retry = setTimeout(() => {
    state.retry = undefined;
    fill(state);
  }, waitMs).unref();
}

/** A replacement is there: the worn office that it replaces has done its work, an idle one if there is one. */
function retireWorn(state: State): void {
  const worn = [...state.all].filter((slot) => slot.worn() !== undefined && !state.retired.has(slot));
  const slot = worn.find((one) => !state.busy.has(one)) ?? worn[0];
  if (slot === undefined) return;
  state.log.info({ reason: slot.worn() }, "an office is replaced");
  state.retired.add(slot);
  if (!state.busy.has(slot)) slot.kill();
}

async function close(state: State): Promise<void> {
  state.closing.abort();
  clearTimeout(state.retry);
  await Promise.all(state.starting);
  for (const slot of state.all) slot.kill();
  await Promise.all(state.clearing);
}

const FIRST_WAIT_MS = 1_000;
/** One office may be killed while it starts, as any other; so many in a row have a reason that will not pass. */
const HOPELESS_FAILURES = 3;
const LONGEST_WAIT_MS = 30_000;
