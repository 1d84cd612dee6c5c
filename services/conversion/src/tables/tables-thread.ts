import { parentPort, workerData } from "node:worker_threads";
import { Fault, late } from "@assistant/kit/wire/fault.js";
import { convertTables, type TablesTask } from "./convert-tables.js";
import type { ThreadAnswer } from "./thread-run.js";

const stopping = new AbortController();
// The only message there is: nobody waits any more.
parentPort?.once("message", () => stopping.abort(late()));
// A thread for one file, which only our own program starts.
parentPort?.postMessage(await answerTo(workerData as TablesTask));
parentPort?.close();

/** Anything but a Fault ends the thread with an error. */
async function answerTo(task: TablesTask): Promise<ThreadAnswer> {
  try {
    return { timings: await convertTables(task, stopping.signal) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { timings: [], fault: { kind: error.kind, message: error.message, violations: error.violations } };
  }
}
