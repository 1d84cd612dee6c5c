import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Fault } from "@assistant/kit/wire/fault.js";
import type { Job } from "../engine.js";
import { corrupt, passwordProtected } from "../faults.js";
import type { Installation } from "./find-office.js";
import { clearJobFolder, placeInput, takeOutput } from "./job-files.js";
import { removePipes } from "./leftovers.js";
import { readingOf } from "./reading.js";
import type { Sandbox } from "./sandbox.js";
import { createSlotFolder, type JobFolder, type SlotFolder, WORKER } from "./slot-folder.js";
import { startWorker, type Worker } from "./worker.js";
import type { WorkerAnswer } from "./worker-protocol.js";

/** One warm office. */
export interface Slot {
  /** One job at a time. Throws only what has nothing to do with the office, such as a full disk. */
  convert(job: Job): Promise<Outcome>;
  /** Why it should be replaced, undefined while it is good. */
  worn(): string | undefined;
  isUp(): boolean;
  /** Ends it at once, in the middle of a job too. */
  kill(): void;
  /** Resolves when it does not run any more. */
  readonly down: Promise<void>;
  /** Resolves when no file of it is left either; rejects if one cannot be removed. */
  readonly cleared: Promise<void>;
}

/** How a conversion came out. `lost`: the office ended; `slow`: it was ended, because it took too long. */
export type Outcome =
  | Conversion
  | { readonly kind: "refused"; readonly fault: Fault; readonly reason: string }
  | { readonly kind: "lost" }
  | { readonly kind: "slow" };

export interface Conversion {
  readonly kind: "done";
  readonly path: string;
  readonly loadMs: number;
  readonly exportMs: number;
}

export interface SlotParts {
  readonly installation: Installation;
  readonly sandbox: Sandbox;
  /** Where the folders of the slots are. */
  readonly folder: string;
  readonly jobTimeoutMs: number;
  readonly jobsPerSlot: number;
}

/** Starts an office and warms it up; rejects if it does not come up. */
export async function startSlot(parts: SlotParts, signal: AbortSignal): Promise<Slot> {
  const folder = await createSlotFolder(parts.folder, parts.sandbox.owner);
  const pipe = `assistant-${randomUUID()}`;
  const clear = async () => {
    await removePipes(pipe, folder.profile);
    await folder.remove();
  };
  try {
    const worker = await startWorker(workerCommand(parts, folder, pipe), folder.path, signal);
    return slotOf(parts, folder, worker, worker.ended.then(clear));
  } catch (error) {
    await clear();
    throw error;
  }
}

function workerCommand({ installation, sandbox, jobTimeoutMs }: SlotParts, folder: SlotFolder, pipe: string) {
  // Seconds of all cores together, for one job. It only matters where nobody is left to watch the clock.
  const cpuLimitS = Math.ceil((2 * jobTimeoutMs) / 1000);
  return sandbox.command(folder, [installation.python, "-B", WORKER, installation.binary, pipe, String(cpuLimitS)]);
}

function slotOf(parts: SlotParts, folder: SlotFolder, worker: Worker, cleared: Promise<void>): Slot {
  let jobs = 0;
  let usage = { rssBytes: 0, openFiles: 0 };
  return {
    down: worker.ended,
    cleared,
    isUp: worker.isUp,
    kill: worker.kill,
    worn() {
      if (jobs >= parts.jobsPerSlot) return "jobs";
      if (usage.rssBytes > MOST_RSS_BYTES) return "memory";
      return usage.openFiles > MOST_OPEN_FILES ? "open files" : undefined;
    },
    async convert(job) {
      jobs += 1;
      try {
        const { answer, outcome } = await convertIn(parts, folder, worker, job, jobs);
        usage = answer ?? usage;
        return outcome;
      } catch (error) {
        // Its folder goes with an office that ends, and then what fails is of no interest.
        if (!worker.isUp()) return { kind: "lost" };
        throw error;
      }
    },
  };
}

async function convertIn(
  parts: SlotParts,
  folder: SlotFolder,
  worker: Worker,
  job: Job,
  id: number,
): Promise<{ answer?: WorkerAnswer; outcome: Outcome }> {
  const jobFolder = await folder.createJobFolder();
  try {
    const answer = await answerOf(parts, worker, job, jobFolder, id);
    if (answer === "slow" || answer === undefined) return { outcome: { kind: answer ?? "lost" } };
    return { answer, outcome: await outcomeOf(answer, job, jobFolder) };
  } finally {
    await clearJobFolder(jobFolder);
  }
}

async function answerOf(
  { sandbox, jobTimeoutMs }: SlotParts,
  worker: Worker,
  { source, target, signal }: Job,
  folder: JobFolder,
  id: number,
): Promise<WorkerAnswer | "slow" | undefined> {
  const reading = await readingOf({ source, signal });
  const input = await placeInput(source, folder, sandbox.owner);
  let isSlow = false;
  const timer = setTimeout(() => {
    isSlow = true;
    worker.kill();
  }, jobTimeoutMs);
  try {
    const answer = await worker.convert({ id, input, output: outputIn(folder.name, target), target, ...reading });
    return answer === undefined && isSlow ? "slow" : answer;
  } finally {
    clearTimeout(timer);
  }
}

async function outcomeOf(answer: WorkerAnswer, job: Job, folder: JobFolder): Promise<Outcome> {
  if ("error" in answer) {
    const fault = answer.error === "password" ? passwordProtected() : corrupt();
    return { kind: "refused", fault, reason: answer.text };
  }
  const path = outputIn(job.folder, job.target);
  await takeOutput(outputIn(folder.path, job.target), path);
  return { kind: "done", path, loadMs: answer.loadMs, exportMs: answer.exportMs };
}

function outputIn(folder: string, target: string): string {
  return join(folder, `output.${target}`);
}

const MOST_RSS_BYTES = 900_000_000;
const MOST_OPEN_FILES = 300;
