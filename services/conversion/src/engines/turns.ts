import { busy } from "../faults.js";
import { openPatience, type Patience } from "../patience.js";

/** Lets a few do something at the same time, the others in the order in which they came. */
export interface Turns {
  /** Throws `unavailable` if too many wait already, and `late` once nobody waits for the work any more. */
  take<Result>(until: Until, work: (patience: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Ends what is under way and waits for it. */
  close(): Promise<void>;
}

export interface Until {
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly deadlineMs: number;
}

export function createTurns({ slots, queueMax }: { slots: number; queueMax: number }): Turns {
  const line = createLine(slots);
  const underWay = new Set<Promise<unknown>>();
  const patiences = new Set<Patience>();
  const taken = async <Result>(work: Promise<Result>): Promise<Result> => {
    underWay.add(work);
    try {
      return await work;
    } finally {
      underWay.delete(work);
      line.giveBack();
    }
  };
  return {
    async take({ signal, deadlineMs }, work) {
      if (line.isFull() && line.waiting() >= queueMax) throw busy();
      const patience = openPatience(signal, deadlineMs);
      patiences.add(patience);
      try {
        await line.turn(patience.signal);
        return await taken(begun(patience.signal, work));
      } finally {
        patiences.delete(patience);
        patience.close();
      }
    },
    async close() {
      for (const patience of patiences) patience.end();
      await Promise.allSettled(underWay);
    },
  };
}

// It may have been given up between its turn and now. Whatever is thrown, and however, the turn is given back.
async function begun<Result>(patience: AbortSignal, work: (patience: AbortSignal) => Promise<Result>): Promise<Result> {
  patience.throwIfAborted();
  return work(patience);
}

function createLine(slots: number) {
  const waiting = new Set<() => void>();
  let free = slots;
  const next = () => {
    const [first] = waiting;
    if (first === undefined || free === 0) return;
    waiting.delete(first);
    free -= 1;
    first();
  };
  return {
    isFull: () => free === 0,
    waiting: () => waiting.size,
    turn: (patience: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const begin = () => {
          patience.removeEventListener("abort", giveUp);
          resolve();
        };
        const giveUp = () => {
          waiting.delete(begin);
          reject(patience.reason);
        };
        waiting.add(begin);
        patience.addEventListener("abort", giveUp, { once: true });
        if (patience.aborted) giveUp();
        else next();
      }),
    giveBack() {
      free += 1;
      next();
    },
  };
}
