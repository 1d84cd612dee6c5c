import { createHash } from "node:crypto";
import type { Postgres, Tx } from "../database/postgres.js";
import { createBell } from "../process/bell.js";
import type { Log } from "../process/log.js";
import { Fault } from "../wire/fault.js";
import type { Bus, Consumption, Delivery, Outcome } from "./bus.js";
import { bury, countFailure, dismiss, FORGET_FAILURES, leaseReplay } from "./dead-events.js";
import { type DomainEvent, readEvent } from "./event.js";

/** What a service does when something happened elsewhere. Runs in one transaction with the note that it did. */
export type EventHandler = (event: DomainEvent, tx: Tx) => Promise<void>;

export interface InboxOptions {
  readonly db: Postgres;
  readonly bus: Bus;
  /** The consuming service. */
  readonly consumer: string;
  /** By the type of event. */
  readonly handlers: Readonly<Record<string, EventHandler>>;
  readonly log: Log;
  /** The waits after the first, the second ... failure. */
  readonly retriesAfterMs?: readonly number[];
}

/**
 * Has each event take effect once: the effect and the note of it are one transaction, and an event that is noted already is passed
 * over. One that fails again and again is put aside as a dead event, so that it stops nobody, and can be replayed.
 */
export function consume(options: InboxOptions): Consumption {
  const { bus, consumer, handlers, log } = options;
  const subscription = bus.consume({
    consumer,
    types: Object.keys(handlers),
    handle: (delivery) => receive(options, delivery),
  });
  const bell = createBell();
  let stopping = false;

  const reviving = (async () => {
    while (!stopping) {
      await revive(options).catch((error: unknown) => log.warn({ err: error, consumer }, "cannot replay events now"));
      await bell.rung(REVIVE_EVERY_MS);
    }
  })();

  return {
    async stop() {
      stopping = true;
      bell.ring();
      await Promise.all([subscription.stop(), reviving]);
    },
  };
}

const REVIVE_EVERY_MS = 1_000;
const ATTEMPTS_MAX = 10;
const RETRIES_AFTER_MS = [1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000];

const NOTE = "insert into inbox (consumer, id) values ($1, $2) on conflict do nothing returning id";

async function receive(options: InboxOptions, { text, attempt }: Delivery): Promise<Outcome> {
  const { db, consumer, log } = options;
  const event = readOrNone(text, log);
  if (event === undefined) {
    await bury(db, { consumer, id: fingerprint(text), event: text, reason: "this is no event" });
    return "done";
  }
  try {
    await takeOnce(options, event, attempt > 1);
    return "done";
  } catch (error) {
    if (isPassing(error)) {
      log.warn({ err: error, consumer, event: event.id }, "an event has to wait for a part that is away");
      return { retryAfterMs: waitAfter(options, attempt) };
    }
    log.error({ err: error, consumer, event: event.id, type: event.type }, "the effect of an event failed");
    return putOff(options, event, text, error);
  }
}

async function takeOnce(
  { db, consumer, handlers }: InboxOptions,
  event: DomainEvent,
  failedBefore: boolean,
): Promise<void> {
  const handler = new Map(Object.entries(handlers)).get(event.type);
  if (handler === undefined) {
    throw new Error(`${consumer} has no handler for ${event.type}`);
  }
  const origin = { actorId: consumer, requestId: event.requestId, traceparent: event.traceparent };
  await db.transaction(origin, async (tx) => {
    const noted = await tx.query("note_event", NOTE, [consumer, event.id]);
    if (noted.length === 0) {
      return;
    }
    await handler(event, tx);
    if (failedBefore) {
      await tx.query("forget_failures", FORGET_FAILURES, [consumer, event.id]);
    }
  });
}

async function putOff(options: InboxOptions, event: DomainEvent, text: string, error: unknown): Promise<Outcome> {
  const { db, consumer, log } = options;
  const reason = reasonOf(error);
  const attempts = await countFailure(db, { consumer, id: event.id, reason });
  if (attempts < ATTEMPTS_MAX) {
    return { retryAfterMs: waitAfter(options, attempts) };
  }
  await bury(db, { consumer, id: event.id, event: text, reason });
  log.error({ consumer, event: event.id, type: event.type }, "an event is dead until it is replayed");
  return "done";
}

/** Takes up the dead events that are to be replayed, one after the other. */
async function revive(options: InboxOptions): Promise<void> {
  const { db, consumer, log } = options;
  for (let dead = await leaseReplay(db, consumer); dead !== undefined; dead = await leaseReplay(db, consumer)) {
    try {
      await takeOnce(options, readEvent(dead.event), true);
      await dismiss(db, { consumer, id: dead.id });
      log.info({ consumer, event: dead.id }, "a dead event has been replayed");
    } catch (error) {
      if (isPassing(error)) {
        throw error;
      }
      log.error({ err: error, consumer, event: dead.id }, "a replayed event failed again");
      await bury(db, { consumer, id: dead.id, event: dead.event, reason: reasonOf(error) });
    }
  }
}

function readOrNone(text: string, log: Log): DomainEvent | undefined {
  try {
    return readEvent(text);
  } catch (error) {
    log.error({ err: error }, "the bus delivered what is no event");
    return undefined;
  }
}

function waitAfter({ retriesAfterMs = RETRIES_AFTER_MS }: InboxOptions, attempts: number): number {
  return retriesAfterMs[Math.min(attempts, retriesAfterMs.length) - 1] ?? 0;
}

/** Not the event's fault: it waits and is not counted. */
function isPassing(error: unknown): boolean {
  return error instanceof Fault && (error.kind === "unavailable" || error.kind === "late");
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function fingerprint(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
