import { join } from "node:path";
import type { Log } from "@assistant/kit/process/log.js";
import type { Engine, Job, Result } from "../engine.js";
import { isAlready } from "../engine-choice.js";
import type { Target } from "../format.js";
import { runBasicTask } from "./basic-process-run.js";
import { createTurns, type Turns } from "./turns.js";

export interface BasicEngineOptions {
  readonly log: Log;
  /** Processes at the same time. */
  readonly slots: number;
  /** What takes longer is too complex. */
  readonly jobTimeoutMs: number;
}

/**
 * Converts what can be converted without an office, plainly: pictures, text and workbooks without their looks. A file that
 * is what is asked for already is handed back. Libraries that read hostile bytes run in a process of their own for each
 * file: what never ends or takes all memory takes that process with it and nothing else.
 */
export function basicEngine(options: BasicEngineOptions): Engine {
  const turns = createTurns({ slots: options.slots, queueMax: QUEUE_MAX });
  return {
    name: "basic",
    version: VERSION,
    takes: (target) => FORMATS[target],
    convert: async (job) =>
      isAlready(job.target, job.source.format.extension)
        ? { path: job.source.path, timings: [] }
        : converted(job, turns, options),
    close: () => turns.close(),
  };
}

/** To be raised whenever the same file would come out differently. */
const VERSION = "1";
const QUEUE_MAX = 32;

const FORMATS: Readonly<Record<Target, ReadonlySet<string>>> = {
  pdf: new Set(["pdf", "png", "jpg", "txt"]),
  xlsx: new Set(["xlsx", "xlsm", "xlsb", "xls", "xml", "ods", "fods"]),
};

async function converted(job: Job, turns: Turns, { log, jobTimeoutMs }: BasicEngineOptions): Promise<Result> {
  const startedMs = performance.now();
  const { source, target, folder, signal, deadlineMs } = job;
  return turns.take({ signal, deadlineMs }, async (patience) => {
    const queueMs = performance.now() - startedMs;
    const path = join(folder, `result.${target}`);
    const task = { extension: source.format.extension, sourcePath: source.path, resultPath: path };
    const timings = await runBasicTask(task, { log, timeoutMs: jobTimeoutMs, patience });
    return { path, timings: [{ step: "queue", durationMs: queueMs }, ...timings] };
  });
}
