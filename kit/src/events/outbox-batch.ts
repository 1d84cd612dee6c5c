import { nobody } from "../database/origin.js";
import type { Postgres, Tx } from "../database/postgres.js";
import type { Log } from "../process/log.js";
import type { Bus, Published } from "./bus.js";
import type { DomainEvent } from "./event.js";

/**
 * Sends the oldest unsent events that no other relay has in hand. Should this process die on the way, they stay unsent and go out
 * again.
 */
export function relayBatch(db: Postgres, bus: Bus, log: Log): Promise<BatchOutcome> {
  return db.transaction(nobody, async (tx) => {
    const rows = await tx.query<UnsentRow>("take_unsent", TAKE, [BATCH]);
    if (rows.length === 0) {
      return "all";
    }
    const outcomes = await bus.publish(rows.map(eventOf));
    const sent = rows.flatMap((row, place) => sentRow(row, outcomes[place]));
    await markSent(tx, sent, log);
    const failed = outcomes.find((outcome) => "error" in outcome);
    if (failed !== undefined) {
      log.warn(
        { err: failed.error, events: rows.length - sent.length },
        "the bus did not take events, they go out again",
      );
      return "refused";
    }
    return rows.length === BATCH ? "more" : "all";
  });
}

/** There may be more; that was all; the bus did not take all of it. */
export type BatchOutcome = "more" | "all" | "refused";

const BATCH = 200;

interface UnsentRow {
  readonly pos: number;
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly org_id: string;
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly actor_id: string;
  readonly request_id: string;
  readonly traceparent: string;
  readonly created_at: Date;
  readonly last_seq: number;
}

interface SentRow {
  readonly pos: number;
  readonly sequence: number;
  readonly lastSequence: number;
}

const TAKE = `
  select pos, id, type, subject, org_id, sequence, data, actor_id, request_id, traceparent, created_at, last_seq
  from outbox cross join outbox_stream
  where sent_at is null
  order by pos
  limit $1
  for update of outbox skip locked`;

const MARK = `
  update outbox set sent_at = clock_timestamp(), stream_seq = sent.seq
  from unnest($1::bigint[], $2::bigint[]) as sent (pos, seq)
  where outbox.pos = sent.pos`;

// Others may have come further meanwhile.
const NOTE = "update outbox_stream set last_seq = $1 where last_seq < $1";

// Two events at one place of the stream: its end was lost after the first of them was sent, and so was all behind it.
const UNSEND_OVERWRITTEN = `
  update outbox set sent_at = null, stream_seq = null
  from (select min(stream_seq) as seq from outbox where stream_seq = any($2::bigint[]) and pos <> all($1::bigint[])) as lost
  where stream_seq >= lost.seq and pos <> all($1::bigint[])
  returning pos`;

async function markSent(tx: Tx, sent: readonly SentRow[], log: Log): Promise<void> {
  const positions = sent.map((row) => row.pos);
  const sequences = sent.map((row) => row.sequence);
  if (sent.length === 0) {
    return;
  }
  await tx.query("mark_sent", MARK, [positions, sequences]);
  // Known before we published, so a sound stream cannot have given these out again. Looking costs a scan, hence only then.
  if (sent.some((row) => row.sequence <= row.lastSequence)) {
    const lost = await tx.query("unsend_overwritten", UNSEND_OVERWRITTEN, [positions, sequences]);
    log.warn({ republished: lost.length }, "the stream is shorter than it was");
  }
  await tx.query("note_last_seq", NOTE, [Math.max(...sequences)]);
}

function sentRow(row: UnsentRow, outcome: Published | undefined): SentRow[] {
  return outcome !== undefined && "sequence" in outcome
    ? [{ pos: row.pos, sequence: outcome.sequence, lastSequence: row.last_seq }]
    : [];
}

function eventOf(row: UnsentRow): DomainEvent {
  return {
    id: row.id,
    type: row.type,
    subject: row.subject,
    orgId: row.org_id,
    sequence: row.sequence,
    data: row.data,
    actorId: row.actor_id,
    requestId: row.request_id,
    traceparent: row.traceparent,
    time: row.created_at,
  };
}
