import { Worker } from "node:worker_threads";
import { Fault } from "@assistant/kit/wire/fault.js";
import type { Timing } from "../engine.js";
import { tooComplex } from "../faults.js";
import type { TablesTask } from "./convert-tables.js";

/** What a thread has to say at its end. */
export interface ThreadAnswer {
  readonly timings: readonly Timing[];
  /** A class instance would lose its class on the way. */
  readonly fault?: Pick<Fault, "kind" | "message" | "violations">;
}

/** Does one task in a thread of its own, which is gone when this is over. Throws a Fault, or the reason of the signal. */
export async function runOnThread(
  task: TablesTask,
  patience: AbortSignal,
  memoryMb = MEMORY_MB,
): Promise<readonly Timing[]> {
  patience.throwIfAborted();
  const resourceLimits = { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: YOUNG_MB };
  const worker = new Worker(SCRIPT, { env: {}, execArgv: [], resourceLimits, workerData: task });
  const { timings, fault } = await answerOf(worker, patience);
  if (fault !== undefined) throw new Fault(fault.kind, fault.message, fault);
  return timings;
}

// From here up and down again, so that it is found from the sources as well as from what they are compiled to.
const SCRIPT = new URL("../../dist/tables/tables-thread.js", import.meta.url);

/** Many times what a million rows take: only a file made for it needs more, and takes no more than its thread with it. */
const MEMORY_MB = 256;
const YOUNG_MB = 16;

/** Many times what one piece of a file takes. */
const GRACE_MS = 2_000;

function answerOf(worker: Worker, patience: AbortSignal): Promise<ThreadAnswer> {
  return new Promise((resolve, reject) => {
    let answer: ThreadAnswer | undefined;
    let failure: unknown = new Error("a thread ended without an answer");
    let timer: NodeJS.Timeout | undefined;
    // A thread that is terminated while it opens a file leaves it open for good: it gets the time to close what it has.
    const end = () => {
      worker.postMessage("stop");
      timer = setTimeout(() => void worker.terminate(), GRACE_MS);
    };
    patience.addEventListener("abort", end, { once: true });
    worker.once("message", (message) => {
      // Only our own program is at the other end.
      answer = message as ThreadAnswer;
    });
    worker.once("error", (error) => {
      failure = isOutOfMemory(error) ? tooComplex() : error;
    });
    worker.once("exit", () => {
      patience.removeEventListener("abort", end);
      clearTimeout(timer);
      if (patience.aborted) reject(patience.reason);
      else if (answer === undefined) reject(failure);
      else resolve(answer);
    });
  });
}

function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
}
