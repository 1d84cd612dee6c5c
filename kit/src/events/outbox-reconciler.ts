import { nobody } from "../database/origin.js";
import type { Postgres } from "../database/postgres.js";
import type { Log } from "../process/log.js";
import type { Bus } from "./bus.js";

/**
 * An acknowledged event can still be lost with the store of the bus. Compares the stream with what is noted about it: of a stream
 * that was made anew, or on another bus, everything goes out again, of one that became shorter, what it lost.
 */
export async function compareStream(db: Postgres, bus: Bus, service: string, log: Log): Promise<void> {
  // Before the stream is asked: what is noted now it must have.
  const [noted] = await db.query<NotedRow>("find_stream", FIND, []);
  const { stream, lastSequence } = await bus.declare(service);
  if (noted?.stream !== stream) {
    await adoptStream(db, stream, lastSequence, log);
  } else if (lastSequence < noted.last_seq) {
    const lost = await db.query("unsend_lost", UNSEND_LOST, [lastSequence, noted.last_seq]);
    log.warn({ stream, republished: lost.length }, "the stream is shorter than it was");
  }
}

/** Once a day: reads from the bus what it carried and sends again what lacks. */
export async function auditStream(db: Postgres, bus: Bus, service: string, log: Log): Promise<void> {
  const [due] = await db.query("claim_audit", CLAIM_AUDIT, []);
  if (due === undefined) {
    return;
  }
  try {
    const lost = await unsendMissing(db, bus.ids(service, new Date(Date.now() - AUDITED_MS)));
    log.info({ republished: lost }, "the stream is compared with the outbox");
  } catch (error) {
    await db.query("put_off_audit", "update outbox_stream set audited_at = null", []);
    throw error;
  }
}

interface NotedRow {
  readonly stream: string | null;
  readonly last_seq: number;
}

const AUDITED_MS = 25 * 3_600_000;
const CHUNK = 5_000;

const FIND = "select stream, last_seq from outbox_stream";

// One of several replicas gets here first.
const ADOPT = `
  update outbox_stream set stream = $1, last_seq = $2
  where stream is distinct from $1
  returning true`;

const UNSEND_ALL = "update outbox set sent_at = null, stream_seq = null where sent_at is not null returning pos";

const UNSEND_LOST = `
  with noted as (update outbox_stream set last_seq = $1 where last_seq = $2)
  update outbox set sent_at = null, stream_seq = null
  where stream_seq > $1 and stream_seq <= $2
  returning pos`;

const CLAIM_AUDIT = `
  update outbox_stream set audited_at = now()
  where audited_at is null or audited_at < now() - interval '24 hours'
  returning true`;

// Sent a moment ago may not be readable yet; sent longer ago than the audit reads back is none of its concern.
const UNSEND_MISSING = `
  update outbox set sent_at = null, stream_seq = null
  where sent_at between now() - interval '24 hours' and now() - interval '1 minute'
    and created_at > now() - interval '8 days'
    and not exists (select from outbox_carried as carried where carried.id = outbox.id)
  returning pos`;

const STORE_CARRIED = "insert into outbox_carried select unnest($1::text[]) on conflict do nothing";

async function adoptStream(db: Postgres, stream: string, lastSequence: number, log: Log): Promise<void> {
  await db.transaction(nobody, async (tx) => {
    const [adopted] = await tx.query("adopt_stream", ADOPT, [stream, lastSequence]);
    if (adopted !== undefined) {
      const unsent = await tx.query("unsend_all", UNSEND_ALL, []);
      log.info({ stream, republished: unsent.length }, "the outbox goes to this stream");
    }
  });
}

async function unsendMissing(db: Postgres, ids: AsyncIterable<string>): Promise<number> {
  return db.transaction(nobody, async (tx) => {
    const store = (chunk: readonly string[]) => tx.query("store_carried", STORE_CARRIED, [chunk]);
    let chunk: string[] = [];
    for await (const id of ids) {
      chunk.push(id);
      if (chunk.length === CHUNK) {
        await store(chunk);
        chunk = [];
      }
    }
    await store(chunk);
    const lost = await tx.query("unsend_missing", UNSEND_MISSING, []);
    await tx.query("clear_carried", "delete from outbox_carried", []);
    return lost.length;
  });
}
