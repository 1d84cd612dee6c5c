import { openPostgres, type Postgres } from "../database/postgres.js";
import type { Log } from "../process/log.js";
import type { Bus, Consumption, Published } from "./bus.js";
import { consumeDeliveries } from "./bus-postgres-deliveries.js";
import { busReadiness } from "./bus-postgres-schema.js";
import { type DomainEvent, writeEvent } from "./event.js";
import { openHerald } from "./herald.js";

export interface PostgresBusOptions {
  /** A database of its own: notifications do not leave theirs, and each service has another. */
  readonly url: string;
  readonly log: Log;
  /** After this long without a sign a delivery goes to somebody else. */
  readonly leaseMs?: number;
}

/** The built-in bus, for where there is no NATS. It lasts like Postgres. */
export function openPostgresBus({ url, log, leaseMs = LEASE_MS }: PostgresBusOptions): Bus {
  const db = openPostgres({ url, poolMax: POOL_MAX, log });
  const herald = openHerald({ url, db, channel: "bus", log });
  const ready = busReadiness(db);
  const consumptions = new Set<Consumption>();
  let sweptAtMs = 0;

  return {
    async declare() {
      await ready();
      if (Date.now() - sweptAtMs > SWEEP_EVERY_MS) {
        sweptAtMs = Date.now();
        await db.query("sweep_messages", SWEEP, [KEPT_S]);
      }
      const [state] = await db.query<{ id: string; last_seq: number }>("bus_state", STATE, []);
      if (state === undefined) {
        throw new Error("the bus has no name");
      }
      return { stream: `postgres ${state.id}`, lastSequence: state.last_seq };
    },
    async publish(events) {
      await ready();
      const published = await publish(db, events);
      herald.announce();
      return published;
    },
    consume(subscription) {
      const consumption = consumeDeliveries({ db, herald, ready, subscription, leaseMs, log });
      consumptions.add(consumption);
      return consumption;
    },
    ids: (service, since) => listIds(db, service, since),
    async close() {
      await Promise.all([...consumptions].map((consumption) => consumption.stop()));
      await herald.close();
      await db.close();
    },
  };
}

const POOL_MAX = 4;
const LEASE_MS = 30_000;
const KEPT_S = 7 * 24 * 3_600;
const SWEEP_EVERY_MS = 600_000;
const PAGE = 5_000;

// What the sequence has given out, not what is still there: messages leave after a week.
const STATE = "select id, coalesce(pg_sequence_last_value('messages_seq_seq'), 0) as last_seq from bus";

const SWEEP = "delete from messages where published_at < now() - make_interval(secs => $1)";

// A message that is there already is answered with its place and not delivered again.
const PUBLISH = `
  with given as (
    select id, type, event, place from unnest($1::text[], $2::text[], $3::text[]) with ordinality as t (id, type, event, place)),
  fresh as (
    insert into messages (id, type, event) select id, type, event from given order by place
    on conflict (id) do nothing returning seq, id, type),
  delivered as (
    insert into deliveries (consumer, seq, type)
    select consumer, seq, type from fresh join subscriptions using (type))
  select id, seq from fresh
  union all
  select id, seq from messages join given using (id)`;

const LIST_IDS = `
  select seq, id from messages
  where seq > $1 and starts_with(type, $2) and published_at >= $3
  order by seq limit $4`;

async function publish(db: Postgres, events: readonly DomainEvent[]): Promise<Published[]> {
  const values = [events.map(({ id }) => id), events.map(({ type }) => type), events.map(writeEvent)];
  const rows = await db.query<{ id: string; seq: number }>("publish_messages", PUBLISH, values);
  const sequences = new Map(rows.map(({ id, seq }) => [id, seq]));
  return events.map(({ id }) => {
    const sequence = sequences.get(id);
    // Another relay published it in this very moment: its place is known at the next attempt.
    return sequence === undefined ? { error: new Error(`${id} is being published elsewhere`) } : { sequence };
  });
}

async function* listIds(db: Postgres, service: string, since: Date): AsyncIterable<string> {
  let after = 0;
  for (;;) {
    const values = [after, `${service}.`, since, PAGE];
    const page = await db.query<{ seq: number; id: string }>("list_message_ids", LIST_IDS, values);
    yield* page.map(({ id }) => id);
    const last = page.at(-1);
    if (last === undefined) {
      return;
    }
    after = last.seq;
  }
}
