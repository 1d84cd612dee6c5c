import { createBell } from "./bell.js";
import type { Log } from "./log.js";

export interface ReadinessParts {
  /** Whether all is there. */
  check(): Promise<boolean>;
  /** Whether what `check` threw will never pass, which ends the watch. */
  isFinal?(error: unknown): boolean;
  setReady(ready: boolean): void;
  log: Log;
}

export interface Readiness {
  /** Rejects when waiting is of no use any more. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** Keeps saying whether the service may be sent work. */
export function watchReadiness({ check, isFinal = () => false, setReady, log }: ReadinessParts): Readiness {
  const bell = createBell();
  let stopping = false;
  const watch = async () => {
    while (!stopping) {
      const ready = await check().catch((error: unknown) => {
        if (isFinal(error)) throw error;
        log.warn({ err: error }, "not ready yet");
        return undefined;
      });
      if (!stopping) setReady(ready ?? false);
      await bell.rung(ready === false ? UNREADY_MS : EVERY_MS);
    }
  };
  const ended = watch();
  return {
    ended,
    async stop() {
      stopping = true;
      bell.ring();
      await ended;
    },
  };
}

const EVERY_MS = 2_000;
// What is still coming up is soon there.
const UNREADY_MS = 250;
