import type { Engine, Job } from "../engine.js";

/** An engine at which a test can look, and that it can hold up. */
export interface GatedEngine extends Engine {
  /** What it was given to do, in order. */
  readonly jobs: readonly Job[];
  /** Nothing goes on until `open`, but to be given up. */
  shut(): void;
  open(): void;
}

/** Puts a gate before a real engine. */
export function gated(engine: Engine): GatedEngine {
  const jobs: Job[] = [];
  let gate = Promise.resolve();
  let open = () => {};
  return {
    ...engine,
    jobs,
    async convert(job) {
      jobs.push(job);
      await Promise.race([gate, aborted(job.signal)]);
      return engine.convert(job);
    },
    shut() {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    open: () => open(),
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
