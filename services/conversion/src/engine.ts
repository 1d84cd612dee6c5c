import type { Format, Target } from "./format.js";

/** A file on disk whose content has been looked at: it is what its format says, and within all limits. */
export interface Source {
  /** Path of the bytes, in a folder that nobody else reads, named `input.<extension>`. */
  readonly path: string;
  readonly format: Format;
  readonly sizeBytes: number;
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string;
}

/** One conversion to be done. */
export interface Job {
  readonly source: Source;
  readonly target: Target;
  /** Folder of this job alone, for the result and whatever the engine needs; removed when the job is over. */
  readonly folder: string;
  /** Who asks: engines that have a queue are fair among them. */
  readonly callerId: string;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds after which nobody waits. */
  readonly deadlineMs: number;
}

/** What a conversion made. */
export interface Result {
  /** Path of the bytes, in the folder of the job. */
  readonly path: string;
  /** Where the time went, in the order it was spent. */
  readonly timings: readonly Timing[];
}

export interface Timing {
  /** `queue`, `load`, `export`, `cache`. */
  readonly step: string;
  readonly durationMs: number;
}

/** Something that converts. */
export interface Engine {
  /** `tables`, `office`, `gotenberg`, `basic`. */
  readonly name: string;
  /** Stands in the key of cached results: another one, other results. */
  readonly version: string;
  /** The extensions of the formats that it converts to the target now; none while it does not work. */
  takes(target: Target): ReadonlySet<string>;
  /** Throws a Fault of `faults.ts`: what is wrong with the file, busy, late. */
  convert(job: Job): Promise<Result>;
  close(): Promise<void>;
}
