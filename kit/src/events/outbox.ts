import type { Postgres } from "../database/postgres.js";
import { createBell } from "../process/bell.js";
import type { Log } from "../process/log.js";
import type { Bus } from "./bus.js";
import { type BatchOutcome, relayBatch } from "./outbox-batch.js";
import { auditStream, compareStream } from "./outbox-reconciler.js";

export interface Relay {
  /** There is something to send; called after a commit. */
  wake(): void;
  /** Sends what is still there and ends. */
  stop(): Promise<void>;
}

export interface RelayOptions {
  readonly db: Postgres;
  readonly bus: Bus;
  readonly service: string;
  readonly log: Log;
  /** How often it looks without being woken. */
  readonly pollMs?: number;
}

/** Carries the events of the outbox to the bus, in every replica of the service, at least once each. */
export function startRelay({ db, bus, service, log, pollMs = POLL_MS }: RelayOptions): Relay {
  const bell = createBell();
  const stopBell = createBell();
  let comparedAtMs = Number.NEGATIVE_INFINITY;
  let stopping = false;

  const pass = async (untilMs: number): Promise<boolean> => {
    if (Date.now() - comparedAtMs >= COMPARE_EVERY_MS) {
      await compareStream(db, bus, service, log);
      comparedAtMs = Date.now();
    }
    let outcome: BatchOutcome = "more";
    while (outcome === "more" && Date.now() < untilMs) {
      outcome = await relayBatch(db, bus, log);
    }
    if (outcome === "refused") {
      // What the events need may be gone from the bus: it is declared anew before the next batch.
      comparedAtMs = Number.NEGATIVE_INFINITY;
      return false;
    }
    await auditStream(db, bus, service, log);
    return true;
  };

  const loop = async () => {
    while (!stopping) {
      const tired = Date.now() + COMPARE_EVERY_MS;
      const isWell = await pass(tired).catch((error: unknown) => {
        log.warn({ err: error }, "the relay cannot send now and tries again");
        return false;
      });
      // While the bus or the database is away every commit would ring: then the next try waits its time.
      await (isWell ? bell : stopBell).rung(pollMs);
    }
    await pass(Date.now() + DRAIN_MS);
  };
  const ended = loop();
  return {
    wake: bell.ring,
    async stop() {
      stopping = true;
      bell.ring();
      stopBell.ring();
      await ended.catch((error: unknown) => log.warn({ err: error }, "events stay for the next relay"));
    },
  };
}

const POLL_MS = 1_000;
const DRAIN_MS = 5_000;
const COMPARE_EVERY_MS = 60_000;
