import type { Target } from "../format.js";

/** One line to the worker. Paths are relative to the folder of the slot. */
export interface WorkerJob {
  readonly id: number;
  readonly input: string;
  readonly output: string;
  readonly target: Target;
  /** The office's name of the import filter. Without one it would guess, and make garbage of random bytes. */
  readonly filter: string;
  readonly filterOptions?: string;
  /** Whether the format knows cells and nothing else: no name of the sheet, no widths of columns, no pages. */
  readonly isBare?: boolean;
}

/** One line from the worker: the first says that it is ready, each other one answers a job. */
export type WorkerLine = { readonly event: "ready" } | WorkerAnswer;

export type WorkerAnswer = WorkerUsage & (WorkerSuccess | WorkerRefusal);

interface WorkerUsage {
  readonly id: number;
  readonly rssBytes: number;
  readonly openFiles: number;
}

interface WorkerSuccess {
  readonly loadMs: number;
  readonly exportMs: number;
}

interface WorkerRefusal {
  readonly error: "password" | "corrupt";
  /** For the log. */
  readonly text: string;
}

/** Undefined if it is no such line: a file that has taken over the office may have taken over the worker, too. */
export function parseWorkerLine(text: string): WorkerLine | undefined {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isWorkerLine(line) ? line : undefined;
}

function isWorkerLine(line: unknown): line is WorkerLine {
  if (typeof line !== "object" || line === null) return false;
  if ("event" in line) return line.event === "ready";
  const { id, rssBytes, openFiles, loadMs, exportMs, error, text } = line as Record<string, unknown>;
  const isRefusal = (error === "password" || error === "corrupt") && typeof text === "string";
  return [id, rssBytes, openFiles, ...(isRefusal ? [] : [loadMs, exportMs])].every(Number.isFinite);
}
