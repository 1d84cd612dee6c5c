import { REVOKED, writeRevocations } from "@assistant/kit/caller/revocation-notice.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Notices } from "@assistant/kit/events/notices.js";
import { createBell } from "@assistant/kit/process/bell.js";
import type { Log } from "@assistant/kit/process/log.js";
import type { Revocations } from "@assistant/proto/assistant/common/v1/callers.js";
import {
  listUnpushedRevocations,
  markRevocationsPushed,
  type RevocationRow,
  removeExpiredRevocations,
} from "./store/revocations.js";

export interface RevocationPush {
  /** There may be something to tell; called after a commit. */
  wake(): void;
  stop(): Promise<void>;
}

/**
 * Tells every process of what was revoked. Every replica does, and looks often: should one die between a commit and its
 * push, another pushes. Nothing is held meanwhile, so two may tell the same, which does no harm.
 */
export function startRevocationPush(parts: { db: Postgres; notices: Notices; log: Log }): RevocationPush {
  const { db, notices, log } = parts;
  const bell = createBell();
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  let isWell = true;
  let stopping = false;

  const round = async () => {
    await pushRevocations(db, notices);
    if (Date.now() - sweptAtMs >= SWEEP_EVERY_MS) {
      sweptAtMs = Date.now();
      await sweepRevocations(db);
    }
  };
  const loop = async () => {
    while (!stopping) {
      const wasWell = isWell;
      isWell = await round().then(
        () => true,
        (error: unknown) => {
          log[wasWell ? "warn" : "debug"]({ err: error }, "revocations cannot be pushed now");
          return false;
        },
      );
      await bell.rung(POLL_MS);
    }
  };
  const ended = loop();
  return {
    wake: bell.ring,
    async stop() {
      stopping = true;
      bell.ring();
      await ended;
      // What was committed last; what fails now is another replica's, or found by those who ask.
      await pushRevocations(db, notices).catch((error: unknown) => log.debug({ err: error }, "not pushed at the end"));
    },
  };
}

/** Tells of all that nobody was told of yet. */
export async function pushRevocations(db: Postgres, notices: Notices): Promise<void> {
  let rows: RevocationRow[];
  do {
    rows = await listUnpushedRevocations(db, CHUNK);
    if (rows.length > 0) {
      await notices.tell(REVOKED, writeRevocations(presentRevocations(rows)));
      await markRevocationsPushed(db, rows);
    }
  } while (rows.length === CHUNK);
}

export async function sweepRevocations(db: Postgres): Promise<void> {
  let removed: number;
  do {
    removed = await removeExpiredRevocations(db, CHUNK);
  } while (removed === CHUNK);
}

export function presentRevocations(rows: readonly RevocationRow[]): Revocations {
  const revocations: Revocations = { sessions: [], principals: [] };
  for (const { kind, subject: id, min_epoch, expires_at } of rows) {
    if (kind === "sid") {
      revocations.sessions.push({ id, expires_at });
    } else {
      revocations.principals.push({ id, min_epoch, expires_at });
    }
  }
  return revocations;
}

const POLL_MS = 500;
const SWEEP_EVERY_MS = 600_000;
const CHUNK = 1_000;
