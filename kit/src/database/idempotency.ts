import { setTimeout as delay } from "node:timers/promises";
import type { Call } from "../wire/call.js";
import { conflict } from "../wire/fault.js";
import { originOf } from "./origin.js";
import type { Postgres, Tx } from "./postgres.js";
import type { Keyring } from "./seal.js";
import { type Answers, KEY_HEADER, type Keyed, OVERTAKEN, slotOf, storedAnswers } from "./stored-answer.js";

export type Once = <Q, R>(keyed: Keyed<Q, R>, effect: (tx: Tx) => Promise<R>) => Promise<R>;

/**
 * Runs an effect once per caller and key: whoever repeats the request gets the stored answer. The lock on the key ends with the
 * transaction, so a crash leaves nothing in flight, and a failed effect stores nothing.
 */
export function createOnce(db: Postgres, keyring: Keyring): Once {
  // Twins in this process wait here, in memory; only those of other replicas have to ask the database again and again.
  const running = new Map<string, Promise<unknown>>();

  return async (keyed, effect) => {
    const slot = slotOf(keyed.call.caller, keyed.key);
    const answers = storedAnswers(keyring, keyed, slot);
    const giveUpAtMs = Math.min(Date.now() + WAIT_MS, keyed.call.deadlineMs);
    for (let round = 0; round === 0 || Date.now() < giveUpAtMs; round += 1) {
      const found = round === 0 ? undefined : await answers.find(db);
      if (found !== undefined) {
        return found.answer;
      }
      const twin = running.get(slot.name);
      if (twin !== undefined) {
        await settled(twin, giveUpAtMs);
        continue;
      }
      const attempt = attemptOnce(db, keyed.call, answers, effect).finally(() => running.delete(slot.name));
      running.set(slot.name, attempt);
      const outcome = await attempt;
      if (outcome !== undefined) {
        return outcome.answer;
      }
      await delay(POLL_MS);
    }
    throw conflict("in_flight", KEY_HEADER);
  };
}

const WAIT_MS = 2_000;
const POLL_MS = 40;

/** Answers undefined while a twin is at work in another replica. */
async function attemptOnce<R>(
  db: Postgres,
  call: Call,
  answers: Answers<R>,
  effect: (tx: Tx) => Promise<R>,
): Promise<{ answer: R } | undefined> {
  try {
    return await db.transaction(originOf(call), async (tx) => {
      const { claimed, found } = await answers.claim(tx);
      if (found !== undefined || !claimed) {
        return found;
      }
      const answer = await effect(tx);
      await answers.store(tx, answer);
      return { answer };
    });
  } catch (error) {
    if (error === OVERTAKEN) {
      return undefined;
    }
    throw error;
  }
}

async function settled(twin: Promise<unknown>, giveUpAtMs: number): Promise<void> {
  const stop = new AbortController();
  const timeout = delay(Math.max(0, giveUpAtMs - Date.now()), undefined, { signal: stop.signal });
  // How the twin fares, and that the timeout is called off, is not this request's concern.
  await Promise.race([twin, timeout].map((end) => end.catch(() => undefined)));
  stop.abort();
}
