import type { Postgres } from "../database/postgres.js";
import { createBell } from "../process/bell.js";
import type { Log } from "../process/log.js";
import type { Consumption, Subscription } from "./bus.js";
import { type DueRow, type Report, renewLeases, report, subscribe, takeDue } from "./bus-postgres-leases.js";
import type { Herald } from "./herald.js";

export interface DeliveriesOptions {
  readonly db: Postgres;
  readonly herald: Herald;
  readonly ready: () => Promise<void>;
  readonly subscription: Subscription;
  readonly leaseMs: number;
  readonly log: Log;
}

/** Takes deliveries on a lease, hands them out, and takes them off the list when they are done. */
export function consumeDeliveries(options: DeliveriesOptions): Consumption {
  const { db, herald, ready, subscription, leaseMs, log } = options;
  const { consumer } = subscription;
  const bell = createBell();
  const reports = createReports(db, consumer);
  const inHand = createHand(options, (done) => {
    reports.add(done);
    bell.ring();
  });
  let subscribed = false;
  let stopping = false;

  const pass = async () => {
    await ready();
    if (!subscribed) {
      await subscribe(db, subscription);
      subscribed = true;
    }
    const soonestMs = await reports.send();
    await inHand.renew();
    if (!stopping) {
      await inHand.takeMore();
    }
    return soonestMs;
  };

  const loop = async () => {
    while (!stopping) {
      const soonestMs = await pass().catch((error: unknown) => {
        log.warn({ err: error, consumer }, "cannot take events now");
        // It may have been made anew, without us.
        subscribed = false;
        return POLL_MS;
      });
      await bell.rung(Math.min(soonestMs, POLL_MS, leaseMs / 3));
    }
    await inHand.empty();
    await reports.send();
  };

  const deafen = herald.listen(bell.ring);
  const ended = loop();
  return {
    async stop() {
      stopping = true;
      deafen();
      bell.ring();
      await ended.catch((error: unknown) => log.warn({ err: error, consumer }, "events that are done come again"));
    },
  };
}

const IN_HAND_MAX = 8;
const POLL_MS = 1_000;
const FAILED_RETRY_MS = 1_000;

/** The deliveries that are being handled here. */
function createHand({ db, subscription, leaseMs, log }: DeliveriesOptions, finished: (report: Report) => void) {
  const { consumer, handle } = subscription;
  const inHand = new Map<number, Promise<void>>();
  let renewedAtMs = Date.now();

  const deliver = async ({ seq, attempts, event }: DueRow) => {
    const outcome = await handle({ text: event, attempt: attempts }).catch((error: unknown) => {
      log.error({ err: error, consumer }, "an event was not taken and comes again");
      return { retryAfterMs: FAILED_RETRY_MS };
    });
    inHand.delete(seq);
    finished({ seq, retryAfterMs: outcome === "done" ? undefined : outcome.retryAfterMs });
  };

  return {
    async renew() {
      if (Date.now() - renewedAtMs > leaseMs / 3) {
        await renewLeases(db, consumer, [...inHand.keys()], leaseMs);
        renewedAtMs = Date.now();
      }
    },
    async takeMore() {
      const room = IN_HAND_MAX - inHand.size;
      const due = room > 0 ? await takeDue(db, subscription, room, leaseMs) : [];
      // A lease that ran out while we were cut off may come back to us with the delivery still in hand.
      for (const row of due.filter(({ seq }) => !inHand.has(seq))) {
        inHand.set(row.seq, deliver(row));
      }
    },
    async empty() {
      await Promise.all(inHand.values());
    },
  };
}

/** What is to be told about deliveries; it waits here while the database is away. */
function createReports(db: Postgres, consumer: string) {
  let waiting: Report[] = [];
  return {
    add(report: Report) {
      waiting.push(report);
    },
    /** Answers after how long the first of those put off is due. */
    async send(): Promise<number> {
      const sent = waiting;
      waiting = [];
      await report(db, consumer, sent).catch((error: unknown) => {
        waiting = [...sent, ...waiting];
        throw error;
      });
      return Math.min(...sent.map(({ retryAfterMs }) => retryAfterMs ?? Number.POSITIVE_INFINITY));
    },
  };
}
