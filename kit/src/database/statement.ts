/** A prepared statement that also writes its event; its last four parameters are filled in by `tx.change`. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface Change {
  readonly name: string;
  /** Common table expressions that the effect builds on, each with its comma: `counter as (update ...),`. */
  readonly before?: string;
  /** The insert, update or delete, returning at least id, org_id, version and the columns of the event. */
  readonly effect: string;
  readonly event: {
    /** `<service>.<noun>.<past verb>` */
    readonly type: string;
    /** What the event tells of each row. Never a secret, never a text that consumers can ask for. */
    readonly columns: readonly string[];
  };
}

/**
 * Row and event in one statement: they cannot part, and it takes one round trip. Each changed row makes one event, about it and at
 * its version; no changed row, no event. Answers the rows that the effect returns.
 */
export function changing({ name, before = "", effect, event }: Change): Statement {
  if (!TYPE.test(event.type)) {
    throw new Error(`${event.type} is no event type like service.noun.created`);
  }
  const first = parameterCount(`${before} ${effect}`) + 1;
  const fields = event.columns.map((column) => `'${column}', ${column}`).join(", ");
  const text = `with ${before} effect as (${effect}), emitted as (
    insert into outbox (id, type, subject, org_id, sequence, data, actor_id, request_id, traceparent)
    select ${eventId(first)}, '${event.type}', id, org_id, version, jsonb_build_object(${fields}),
      $${first + 1}, $${first + 2}, $${first + 3}
    from (select *, row_number() over () - 1 as place from effect) as changed)
  select * from effect`;
  return { name, text };
}

const TYPE = /^[a-z]+\.[a-z_]+\.[a-z_]+$/;
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";

function parameterCount(sql: string): number {
  const numbers = [...sql.matchAll(/\$(\d+)/g)].map(([, digits]) => Number(digits));
  return Math.max(0, ...numbers);
}

// One id comes with the call; where several rows change, the row's place takes the last four of its base32 digits, so each event
// has its own and they sort in the order of the rows. 22 digits of time and chance stay.
function eventId(parameter: number): string {
  const digits = [15, 10, 5, 0].map((shift) => `substr('${DIGITS}', (place >> ${shift})::int % 32 + 1, 1)`);
  return `left($${parameter}, -4) || ${digits.join(" || ")}`;
}
