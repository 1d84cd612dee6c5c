/** Stops calling a peer that mostly fails: nobody waits for it, and it is not called to death while it recovers. */
export interface Breaker {
  /** Whether a call may be made now. While the breaker is open that is one call a second, the probe. */
  admits(): boolean;
  /** How an admitted call ended; `undefined`: it says nothing about the peer, since the caller gave it up. */
  record(succeeded: boolean | undefined): void;
  readonly isOpen: boolean;
}

/**
 * Opens when half of at least 20 calls failed within 10 s. While it is open one probe a second is let through; its
 * success closes the breaker. The clock is monotonic: a machine's clock that is set back must not keep a breaker open.
 */
export function createBreaker(clock: () => number = () => performance.now()): Breaker {
  let slices: Slice[] = [];
  let probeAtMs: number | undefined;

  const count = (succeeded: boolean) => {
    const startedMs = Math.floor(clock() / SLICE_MS) * SLICE_MS;
    slices = slices.filter((slice) => slice.startedMs > startedMs - WINDOW_MS);
    let slice = slices.at(-1);
    if (slice?.startedMs !== startedMs) {
      slice = { startedMs, calls: 0, failures: 0 };
      slices.push(slice);
    }
    slice.calls += 1;
    slice.failures += succeeded ? 0 : 1;
  };
  const mostlyFails = () => {
    const calls = slices.reduce((sum, slice) => sum + slice.calls, 0);
    const failures = slices.reduce((sum, slice) => sum + slice.failures, 0);
    return calls >= LEAST_CALLS && failures * 2 >= calls;
  };

  return {
    get isOpen() {
      return probeAtMs !== undefined;
    },
    admits() {
      if (probeAtMs === undefined) {
        return true;
      }
      const isDue = clock() >= probeAtMs;
      if (isDue) {
        probeAtMs = clock() + PROBE_MS;
      }
      return isDue;
    },
    record(succeeded) {
      if (succeeded === undefined) {
        return;
      }
      if (probeAtMs !== undefined) {
        // Calls that were under way when it opened count as probes too: any answer says that the peer is back.
        probeAtMs = succeeded ? undefined : probeAtMs;
        slices = [];
        return;
      }
      count(succeeded);
      if (!succeeded && mostlyFails()) {
        probeAtMs = clock() + PROBE_MS;
        slices = [];
      }
    },
  };
}

interface Slice {
  readonly startedMs: number;
  calls: number;
  failures: number;
}

const WINDOW_MS = 10_000;
const SLICE_MS = 1_000;
const PROBE_MS = 1_000;
const LEAST_CALLS = 20;
