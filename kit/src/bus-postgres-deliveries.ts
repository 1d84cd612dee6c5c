import { createBell } from "./bell.js";
import type { Consumption, Subscription } from "./bus.js";
import type { Herald } from "./herald.js";
import type { Log } from "./log.js";
import { nobody } from "./origin.js";
import type { Postgres } from "./postgres.js";

export interface DeliveriesOptions {
  readonly db: Postgres;
  readonly herald: Herald;
  readonly ready: () => Promise<void>;
  readonly subscription: Subscription;
  readonly leaseMs: number;
  readonly log: Log;
}

/** Takes deliveries on a lease, hands them out, and takes them off the list when they are done. */
export function consumeDeliveries({ db, herald, ready, subscription, leaseMs, log }: DeliveriesOptions): Consumption {
  const { consumer, types, handle } = subscription;
  const bell = createBell();
  const inHand = new Map<number, Promise<void>>();
  let reports: Report[] = [];
  let subscribed = false;
  let renewedAtMs = Date.now();
  let restMs = POLL_MS;
  let stopping = false;

  const deliver = async ({ seq, attempts, event }: DueRow) => {
    const outcome = await handle({ text: event, attempt: attempts }).catch((error: unknown) => {
      log.error({ err: error, consumer }, "an event was not taken and comes again");
      return { retryAfterMs: FAILED_RETRY_MS };
    });
    reports.push({ seq, retryAfterMs: outcome === "done" ? undefined : outcome.retryAfterMs });
    inHand.delete(seq);
    bell.ring();
  };

  const takeMore = async () => {
    const room = IN_HAND_MAX - inHand.size;
    const due = room > 0 ? await db.query<DueRow>("take_due", TAKE, [consumer, types, room, leaseMs / 1_000]) : [];
    // A lease that ran out while we were cut off may come back to us with the delivery still in hand.
    for (const row of due.filter(({ seq }) => !inHand.has(seq))) {
      inHand.set(row.seq, deliver(row));
    }
  };

  const sendReports = async () => {
    const sent = reports;
    reports = [];
    await report(db, consumer, sent).catch((error: unknown) => {
      reports = [...sent, ...reports];
      throw error;
    });
    restMs = Math.min(POLL_MS, leaseMs / 3, ...sent.map(({ retryAfterMs }) => retryAfterMs ?? POLL_MS));
  };

  const pass = async () => {
    await ready();
    if (!subscribed) {
      await subscribe(db, subscription);
      subscribed = true;
    }
    await sendReports();
    if (Date.now() - renewedAtMs > leaseMs / 3) {
      await db.query("renew_leases", RENEW, [consumer, [...inHand.keys()], leaseMs / 1_000]);
      renewedAtMs = Date.now();
    }
    if (!stopping) {
      await takeMore();
    }
  };

  const loop = async () => {
    while (!stopping) {
      await pass().catch((error: unknown) => log.warn({ err: error, consumer }, "cannot take events now"));
      await bell.rung(restMs);
    }
    await Promise.all(inHand.values());
    await sendReports();
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

interface Report {
  readonly seq: number;
  /** Undefined: done with it. */
  readonly retryAfterMs: number | undefined;
}

interface DueRow {
  readonly seq: number;
  readonly attempts: number;
  readonly event: string;
}

const IN_HAND_MAX = 8;
const POLL_MS = 1_000;
const FAILED_RETRY_MS = 1_000;

const TAKE = `
  with due as (
    select consumer, seq from deliveries
    where consumer = $1 and type = any($2) and next_try_at <= now()
    order by next_try_at, seq limit $3
    for update skip locked),
  taken as (
    update deliveries set attempts = attempts + 1, next_try_at = now() + make_interval(secs => $4)
    from due where deliveries.consumer = due.consumer and deliveries.seq = due.seq
    returning deliveries.seq, attempts)
  select seq, attempts, event from taken join messages using (seq) order by seq`;

const RENEW = `
  update deliveries set next_try_at = now() + make_interval(secs => $3)
  where consumer = $1 and seq = any($2)`;

const DONE = "delete from deliveries where consumer = $1 and seq = any($2)";

const PUT_OFF = `
  update deliveries set next_try_at = now() + make_interval(secs => later.seconds)
  from unnest($2::bigint[], $3::float8[]) as later (seq, seconds)
  where consumer = $1 and deliveries.seq = later.seq`;

// Nothing is published meanwhile, so each message either finds the subscription or is found by it.
const LOCK = "lock table messages in share row exclusive mode";

const SUBSCRIBE = `
  with fresh as (
    insert into subscriptions (consumer, type) select $1, unnest($2::text[])
    on conflict do nothing returning consumer, type)
  insert into deliveries (consumer, seq, type)
  select consumer, seq, type from fresh join messages using (type)
  on conflict do nothing`;

async function subscribe(db: Postgres, { consumer, types }: Subscription): Promise<void> {
  const known = await db.query("find_subscriptions", "select from subscriptions where consumer = $1 and type = any($2)", [
    consumer,
    types,
  ]);
  if (known.length === types.length) {
    return;
  }
  await db.transaction(nobody, async (tx) => {
    await tx.query("lock_messages", LOCK, []);
    await tx.query("subscribe", SUBSCRIBE, [consumer, types]);
  });
}

async function report(db: Postgres, consumer: string, reports: readonly Report[]): Promise<void> {
  const done = reports.filter(({ retryAfterMs }) => retryAfterMs === undefined);
  if (done.length > 0) {
    await db.query("done", DONE, [consumer, done.map(({ seq }) => seq)]);
  }
  const later = reports.flatMap(({ seq, retryAfterMs }) => (retryAfterMs === undefined ? [] : [{ seq, retryAfterMs }]));
  if (later.length > 0) {
    const seconds = later.map(({ retryAfterMs }) => retryAfterMs / 1_000);
    await db.query("put_off", PUT_OFF, [consumer, later.map(({ seq }) => seq), seconds]);
  }
}
