import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Log } from "@assistant/kit/process/log.js";
import { removeSessionsBefore } from "./store/sessions.js";

/** Removes sessions a day after their tokens ran out; every replica may do it. */
export function startSessionSweep({ db, log }: { db: Postgres; log: Log }): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const round = () => {
    running = sweepSessions(db, Date.now()).catch((error: unknown) => log.warn({ err: error }, "cannot sweep now"));
  };
  const timer = setInterval(round, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** One round. */
export async function sweepSessions(db: Postgres, nowMs: number): Promise<void> {
  const before = new Date(nowMs - KEPT_MS);
  let removed: number;
  do {
    removed = await removeSessionsBefore(db, before, CHUNK);
  } while (removed === CHUNK);
}

const EVERY_MS = 600_000;
const KEPT_MS = 86_400_000;
// Few at a time, so that nobody waits for the sweep.
const CHUNK = 1_000;
