import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Log } from "@assistant/kit/process/log.js";
import { removeLinksBefore, unsealLinksBefore } from "../store/magic-links.js";

/** Forgets the tokens of links soon after they ran out; every replica may do it. */
export function startLinkSweep({ db, log }: { db: Postgres; log: Log }): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const round = () => {
    running = sweepLinks(db, Date.now()).catch((error: unknown) => log.warn({ err: error }, "cannot sweep links now"));
  };
  const timer = setInterval(round, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** One round. A link stays for as long as there may be sessions that it opened, so that it can be revoked with them. */
export async function sweepLinks(db: Postgres, nowMs: number): Promise<void> {
  await repeat(() => unsealLinksBefore(db, new Date(nowMs), CHUNK));
  await repeat(() => removeLinksBefore(db, new Date(nowMs - KEPT_MS), CHUNK));
}

const EVERY_MS = 60_000;
const KEPT_MS = 91 * 86_400_000;
// Few at a time, so that nobody waits for the sweep.
const CHUNK = 1_000;

async function repeat(changeSome: () => Promise<number>): Promise<void> {
  while ((await changeSome()) === CHUNK) {}
}
