import { nobody } from "../database/origin.js";
import type { Postgres } from "../database/postgres.js";
import type { Subscription } from "./bus.js";

/** A delivery on a lease. */
export interface DueRow {
  readonly seq: number;
  readonly attempts: number;
  readonly event: string;
}

/** How a delivery went. */
export interface Report {
  readonly seq: number;
  /** Undefined: done with it. */
  readonly retryAfterMs: number | undefined;
}

/** Has every message of these types delivered to the consumer, from the oldest that is kept. */
export async function subscribe(db: Postgres, { consumer, types }: Subscription): Promise<void> {
  const known = await db.query(
    "find_subscriptions",
    "select from subscriptions where consumer = $1 and type = any($2)",
    [consumer, types],
  );
  if (known.length === types.length) {
    return;
  }
  await db.transaction(nobody, async (tx) => {
    await tx.query("lock_messages", LOCK, []);
    await tx.query("subscribe", SUBSCRIBE, [consumer, types]);
  });
}

/** Takes what is due; whoever has not reported when the lease ends loses it to the next who asks. */
export function takeDue(
  db: Postgres,
  { consumer, types }: Subscription,
  most: number,
  leaseMs: number,
): Promise<DueRow[]> {
  return db.query("take_due", TAKE, [consumer, types, most, leaseMs / 1_000]);
}

export async function renewLeases(
  db: Postgres,
  consumer: string,
  inHand: readonly number[],
  leaseMs: number,
): Promise<void> {
  await db.query("renew_leases", RENEW, [consumer, inHand, leaseMs / 1_000]);
}

export async function report(db: Postgres, consumer: string, reports: readonly Report[]): Promise<void> {
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
