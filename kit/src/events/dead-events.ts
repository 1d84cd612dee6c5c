import { nobody } from "../database/origin.js";
import type { Postgres, Sql } from "../database/postgres.js";

export interface DeadEvent {
  readonly consumer: string;
  readonly id: string;
  /** As it was on the wire. */
  readonly event: string;
  readonly reason: string;
}

/** Has dead events taken up again by their consumers; all of them, or those with these ids. Answers how many there are. */
export async function replay(sql: Sql, ids?: readonly string[]): Promise<number> {
  const marked = await sql.query("replay_dead_events", REPLAY, [ids ?? null]);
  return marked.length;
}

/** Counts a failure; answers how many there have been. */
export async function countFailure(sql: Sql, { consumer, id, reason }: Omit<DeadEvent, "event">): Promise<number> {
  const [row] = await sql.query<{ attempts: number }>("count_failure", COUNT, [consumer, id, reason]);
  return row?.attempts ?? 1;
}

/** Puts an event aside, until it is replayed. */
export async function bury(db: Postgres, { consumer, id, event, reason }: DeadEvent): Promise<void> {
  await db.transaction(nobody, async (tx) => {
    await tx.query("bury_event", BURY, [consumer, id, event, reason]);
    await tx.query("forget_failures", FORGET_FAILURES, [consumer, id]);
  });
}

/** A dead event that is to be replayed, for this replica alone; should it die on the way, for another one a minute later. */
export async function leaseReplay(sql: Sql, consumer: string): Promise<Pick<DeadEvent, "id" | "event"> | undefined> {
  const [row] = await sql.query<Pick<DeadEvent, "id" | "event">>("lease_replay", LEASE, [consumer]);
  return row;
}

export async function dismiss(sql: Sql, { consumer, id }: Pick<DeadEvent, "consumer" | "id">): Promise<void> {
  await sql.query("dismiss_dead_event", "delete from dead_events where consumer = $1 and id = $2", [consumer, id]);
}

export const FORGET_FAILURES = "delete from inbox_failures where consumer = $1 and id = $2";

const REPLAY = `
  update dead_events set replay_at = now()
  where $1::text[] is null or id = any($1)
  returning id`;

const COUNT = `
  insert into inbox_failures (consumer, id, attempts, reason, failed_at) values ($1, $2, 1, $3, now())
  on conflict (consumer, id) do update
  set attempts = inbox_failures.attempts + 1, reason = excluded.reason, failed_at = excluded.failed_at
  returning attempts`;

const BURY = `
  insert into dead_events (consumer, id, event, reason) values ($1, $2, $3, $4)
  on conflict (consumer, id) do update
  set reason = excluded.reason, died_at = excluded.died_at, replay_at = null`;

const LEASE = `
  update dead_events set replay_at = now() + interval '1 minute'
  where (consumer, id) in (
    select consumer, id from dead_events
    where consumer = $1 and replay_at <= now()
    order by replay_at, id limit 1
    for update skip locked)
  returning id, event`;
