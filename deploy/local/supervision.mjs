import { setTimeout as sleep } from "node:timers/promises";
import { explain } from "./problem.mjs";

/**
 * One life of a part: `ended` tells how it ended, in a few words.
 *
 * @typedef {{ ended: Promise<string>, stop: () => Promise<void>, kill: () => void }} Life
 * @typedef {{
 *   name: string, crashes: () => number, lastCrash: () => string, stop: () => Promise<void>, kill: () => void,
 * }} Part
 */

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
// Who lived this long was well: its next crash is met as quickly as the first.
const WELL_MS = 10_000;

/**
 * Keeps a part alive: whenever it ends unasked it is started again, ever more slowly.
 *
 * @param {{ name: string, first: Life, again: () => Promise<Life>, log: (line: string) => void }} options
 * @returns {Part}
 */
export function supervise({ name, first, again, log }) {
  const stopping = new AbortController();
  const state = { life: first, crashes: 0, lastCrash: "" };
  const watch = async () => {
    let delayMs = FIRST_DELAY_MS;
    let bornAtMs = Date.now();
    while (true) {
      state.lastCrash = await state.life.ended;
      if (stopping.signal.aborted) return;
      state.crashes++;
      if (Date.now() - bornAtMs > WELL_MS) delayMs = FIRST_DELAY_MS;
      log(`${name} ended: ${state.lastCrash} (starting again in ${delayMs} ms)`);
      // Rejects only when stopping aborts it, which the next line sees.
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
      bornAtMs = Date.now();
      state.life = await again().catch(stillborn);
      if (stopping.signal.aborted) await state.life.stop();
    }
  };
  const watching = watch();
  return {
    name,
    crashes: () => state.crashes,
    lastCrash: () => state.lastCrash,
    kill: () => state.life.kill(),
    async stop() {
      stopping.abort();
      await state.life.stop();
      await watching;
    },
  };
}

/**
 * A start that failed counts as a life that ended at once.
 *
 * @param {unknown} error
 * @returns {Life}
 */
function stillborn(error) {
  return { ended: Promise.resolve(explain(error)), stop: async () => {}, kill: () => {} };
}
