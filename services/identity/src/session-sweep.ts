import { nobody } from "@assistant/kit/database/origin.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Log } from "@assistant/kit/process/log.js";
import { rotateSigningKey } from "./signing-key-rotation.js";
import type { SigningKeysParts } from "./signing-keys.js";
import { removeLoginsBefore } from "./store/login-history.js";
import { forgetSuccessorsBefore } from "./store/refresh-tokens.js";
import { removeSessionsBefore } from "./store/sessions.js";
import { removeSigningKeysBefore } from "./store/signing-keys.js";

export interface SessionSweepParts extends SigningKeysParts {
  log: Log;
  /** The age at which a signing key is replaced. */
  signingKeyDays: number;
}

/** Removes what has had its time of sessions and keys, and replaces signing keys; every replica may do it. */
export function startSessionSweep(parts: SessionSweepParts): { stop(): Promise<void> } {
  const { db, log, clock } = parts;
  let running: Promise<void> = Promise.resolve();
  const round = () => {
    running = renewSigningKey(parts)
      .then(() => sweepSessions(db, clock()))
      .catch((error: unknown) => log.warn({ err: error }, "cannot sweep now"));
  };
  const timer = setInterval(round, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** One round of removing. */
export async function sweepSessions(db: Postgres, nowMs: number): Promise<void> {
  const ago = (ms: number) => new Date(nowMs - ms);
  await inChunks((limit) => removeSessionsBefore(db, ago(SESSION_KEPT_MS), limit));
  await inChunks((limit) => forgetSuccessorsBefore(db, ago(SUCCESSOR_KEPT_MS), limit));
  await inChunks((limit) => removeLoginsBefore(db, ago(LOGIN_KEPT_MS), limit));
  await removeSigningKeysBefore(db, ago(0));
}

/** One round of replacing. */
export async function renewSigningKey({ log, signingKeyDays, ...parts }: SessionSweepParts): Promise<void> {
  const signsFrom = await rotateSigningKey(parts, nobody, signingKeyDays * DAY_MS);
  if (signsFrom !== undefined) {
    log.info({ signs_from: signsFrom }, "a new signing key takes over");
  }
}

const EVERY_MS = 600_000;
const DAY_MS = 86_400_000;
const SESSION_KEPT_MS = DAY_MS;
// Longer than anyone may ask for it again.
const SUCCESSOR_KEPT_MS = 60_000;
const LOGIN_KEPT_MS = 400 * DAY_MS;
// Few at a time, so that nobody waits for the sweep.
const CHUNK = 1_000;

async function inChunks(remove: (limit: number) => Promise<number>): Promise<void> {
  let removed: number;
  do {
    removed = await remove(CHUNK);
  } while (removed === CHUNK);
}
