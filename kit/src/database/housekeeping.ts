import type { Log } from "../process/log.js";
import { nobody } from "./origin.js";
import type { Postgres } from "./postgres.js";

export interface HousekeepingParts {
  db: Postgres;
  log: Log;
}

/** Removes what has had its time from the kit's tables; every replica may run it. */
export function startHousekeeping({ db, log }: HousekeepingParts): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const round = () => {
    running = sweep(db).catch((error: unknown) => log.warn({ err: error }, "cannot sweep now"));
  };
  const timer = setInterval(round, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** One round; answers at once if another replica is at it. */
export async function sweep(db: Postgres): Promise<void> {
  for (const [name, text] of Object.entries(SWEEPS)) {
    let removed: number;
    do {
      removed = await db.transaction(nobody, async (tx) => {
        const [turn] = await tx.query<{ taken: boolean }>("take_sweep", TAKE, [SWEEP_KEY]);
        return turn?.taken === true ? (await tx.query(name, text, [CHUNK])).length : 0;
      });
    } while (removed === CHUNK);
  }
}

const EVERY_MS = 600_000;

// Few at a time, so that nobody waits for the sweep.
const CHUNK = 1_000;
const SWEEP_KEY = 6_120_457;
const TAKE = "select pg_try_advisory_xact_lock($1) as taken";

// The inbox remembers longer than outbox and bus keep: an event that is sent again must still be known. Tombstones of what an event
// removed are of the same age.
const SWEEPS = {
  sweep_outbox: `
    delete from outbox where pos in (
      select pos from outbox where sent_at < now() - interval '7 days' and created_at < now() - interval '7 days'
      order by pos limit $1)
    returning true`,
  sweep_inbox: `
    delete from inbox where (consumer, id) in (
      select consumer, id from inbox where at < now() - interval '15 days' order by at limit $1)
    returning true`,
  sweep_inbox_failures: `
    delete from inbox_failures where (consumer, id) in (
      select consumer, id from inbox_failures where failed_at < now() - interval '15 days' limit $1)
    returning true`,
  sweep_idempotency: `
    delete from idempotency where (caller, key) in (
      select caller, key from idempotency where expires_at < now() order by expires_at limit $1)
    returning true`,
};
