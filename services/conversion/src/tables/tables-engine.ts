import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Engine, Job, Result, Timing } from "../engine.js";
import { createTurns, type Turns } from "../engines/turns.js";
import { convertTables, type TablesTask } from "./convert-tables.js";
import { runOnThread } from "./thread-run.js";

/**
 * Converts tables that are text. A small file is done within milliseconds, in turns with all else that this thread does; a large
 * one gets a thread of its own, with its own memory limit.
 */
export function tablesEngine(): Engine {
  const small = createTurns({ slots: SMALL_SLOTS, queueMax: QUEUE_MAX });
  const large = createTurns({ slots: Math.min(availableParallelism(), THREADS_MAX), queueMax: QUEUE_MAX });
  return {
    name: "tables",
    version: VERSION,
    takes: (target) => (target === "xlsx" ? FORMATS : NONE),
    convert: (job) =>
      job.source.sizeBytes <= SMALL_BYTES ? converted(job, small, convertTables) : converted(job, large, runOnThread),
    async close() {
      await Promise.all([small.close(), large.close()]);
    },
  };
}

/** To be raised whenever the same file would come out differently. */
const VERSION = "1";

const FORMATS: ReadonlySet<string> = new Set(["csv", "tsv", "txt", "html"]);
const NONE: ReadonlySet<string> = new Set();

/** About what takes as long as to start a thread. */
const SMALL_BYTES = 256 * 1024;
const SMALL_SLOTS = 4;
const THREADS_MAX = 4;
const QUEUE_MAX = 32;

type Run = (task: TablesTask, patience: AbortSignal) => Promise<readonly Timing[]>;

async function converted(job: Job, turns: Turns, run: Run): Promise<Result> {
  const { source, folder, signal, deadlineMs } = job;
  const startedMs = performance.now();
  return turns.take({ signal, deadlineMs }, async (patience) => {
    const queue = { step: "queue", durationMs: performance.now() - startedMs };
    const path = join(folder, "result.xlsx");
    const task = { inputPath: source.path, outputPath: path, extension: source.format.extension };
    return { path, timings: [queue, ...(await run(task, patience))] };
  });
}
