import { parentPort, workerData } from "node:worker_threads";
import { Fault } from "@assistant/kit/wire/fault.js";
import { convertTables, type TablesTask } from "./convert-tables.js";
import type { ThreadAnswer } from "./thread-run.js";

// A thread for one file: whoever started it ends it when nobody waits any more. Only our own program starts it.
parentPort?.postMessage(await answerTo(workerData as TablesTask));

/** Anything but a Fault ends the thread with an error. */
async function answerTo(task: TablesTask): Promise<ThreadAnswer> {
  try {
    return { timings: await convertTables(task, new AbortController().signal) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { timings: [], fault: { kind: error.kind, message: error.message, violations: error.violations } };
  }
}
