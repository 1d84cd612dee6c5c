import { createHash } from "node:crypto";
import { copyFile, link, open } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Log } from "@assistant/kit/process/log.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import type { Engine, Source, Timing } from "./engine.js";
import { chooseEngine, type Engines, isAlready } from "./engine-choice.js";
import { tooComplex } from "./faults.js";
import { createFlights, type Seat } from "./flights.js";
import type { Target } from "./format.js";
import type { ResultCache } from "./result-cache.js";
import type { OpenResult } from "./result-files.js";
import type { WorkFolder } from "./work-folder.js";

/** Results of conversions, made once for all who send the same, or taken from the cache. */
export interface Results {
  /** The seat must be left when the file has been read. */
  obtain(source: Source, target: Target, call: Call): Promise<{ key: string; seat: Seat<OpenedResult> }>;
}

/** A result to be read by position, since others may read it at the same time. */
export interface OpenedResult extends OpenResult {
  readonly timings: readonly Timing[];
}

export interface ResultsParts {
  readonly engines: Engines;
  readonly cache: ResultCache;
  readonly work: WorkFolder;
  readonly log: Log;
}

export function createResults({ engines, cache, work, log }: ResultsParts): Results {
  const flights = createFlights<OpenedResult>(({ file }) => file.close(), log);
  const make = async (order: Order, signal: AbortSignal): Promise<OpenedResult> => {
    const startedMs = performance.now();
    const kept = order.key === undefined ? undefined : await cache.open(order.key);
    if (kept !== undefined) {
      return { ...kept, timings: [{ step: "cache", durationMs: performance.now() - startedMs }] };
    }
    return converted(order, signal, { cache, work });
  };
  return {
    async obtain(source, target, call) {
      const engine = chooseEngine(engines, target, source.format);
      const key = keyOf(source, target, engine, call.caller.orgId);
      const isKept = !isAlready(target, source.format.extension);
      for (;;) {
        let isMine = false;
        const start = (signal: AbortSignal) => {
          isMine = true;
          const made = make({ source, target, engine, call, key: isKept ? key : undefined }, signal);
          return made.catch((error: unknown) => {
            throw call.signal.aborted ? asAbandoned(error) : error;
          });
        };
        try {
          return { key, seat: await flights.join(key, call.signal, start) };
        } catch (error) {
          // Whoever began it had less time than we have, or has gone.
          const isWorthIt = isLate(error) && !isMine && !call.signal.aborted;
          if (!isWorthIt) throw error;
        }
      }
    },
  };
}

interface Order {
  readonly source: Source;
  readonly target: Target;
  readonly engine: Engine;
  readonly call: Call;
  /** Undefined: not worth a place in the cache. */
  readonly key: string | undefined;
}

/** More than any reader opens. */
const RESULT_MAX_BYTES = 1_024 * 1_024 * 1_024;

/** Everything that a result depends on, and the org: what one org has had converted, another learns nothing of. */
function keyOf({ sha256, format }: Source, target: Target, { name, version }: Engine, orgId: string): string {
  const parts = [orgId, sha256, format.extension, target, name, version];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** The upload belongs to a call that may end before the others who wait; so the work has a folder of its own. */
async function converted(
  { source, target, engine, call, key }: Order,
  signal: AbortSignal,
  { cache, work }: Pick<ResultsParts, "cache" | "work">,
): Promise<OpenedResult> {
  const folder = await work.open();
  try {
    const path = join(folder.path, basename(source.path));
    await linkOrCopy(source.path, path);
    const { principalId: callerId } = call.caller;
    const job = { source: { ...source, path }, target, folder: folder.path, callerId };
    const result = await engine.convert({ ...job, signal, deadlineMs: call.deadlineMs });
    // Open before the folder goes, and closed by the last one who reads it.
    const file = await open(result.path, "r");
    const { size: sizeBytes } = await file.stat();
    if (sizeBytes === 0 || sizeBytes > RESULT_MAX_BYTES) {
      await file.close();
      throw sizeBytes === 0 ? new Error(`${engine.name} made nothing`) : tooComplex();
    }
    if (key !== undefined) await cache.keep(key, result.path, sizeBytes);
    return { file, sizeBytes, timings: result.timings };
  } finally {
    await folder.remove();
  }
}

/** The upload goes with whoever sent it, and so it may be gone before it could be taken over. */
function asAbandoned(error: unknown): unknown {
  return error instanceof Fault ? error : new Fault("late", "whoever began it went away", { cause: error });
}

function isLate(error: unknown): boolean {
  return error instanceof Fault && error.kind === "late";
}

// Not every file system has links.
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}
