import { setTimeout as sleep } from "node:timers/promises";
import { problem } from "./problem.mjs";

const POLL_MS = 50;
const REQUEST_MS = 2_000;
const PATIENCE_MS = 60_000;
const MANY_CRASHES = 3;

/**
 * Waits until the gateway and everything behind it is ready; gives up early on a part that cannot even start.
 *
 * @typedef {import("./supervision.mjs").Part} Part
 * @param {{ url: string, parts: readonly Part[], logs: string, signal: AbortSignal }} options
 */
export async function whenReady({ url, parts, logs, signal }) {
  const giveUpAtMs = Date.now() + PATIENCE_MS;
  let answer = "no answer";
  while (Date.now() < giveUpAtMs) {
    signal.throwIfAborted();
    const state = await ask(`${url}/readyz`);
    if (state.isReady) return;
    answer = state.answer;
    const failing = parts.find((part) => part.crashes() >= MANY_CRASHES);
    if (failing !== undefined) throw problem(`${failing.name} does not start: ${failing.lastCrash()}. Logs: ${logs}`);
    await sleep(POLL_MS);
  }
  throw problem(`The platform is not ready after ${PATIENCE_MS / 1_000} s (${answer}). Logs: ${logs}`);
}

/** @param {string} address */
async function ask(address) {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(REQUEST_MS) });
    const body = await response.text();
    return { isReady: response.ok, answer: `${response.status} ${body}` };
  } catch (error) {
    return { isReady: false, answer: error instanceof Error ? error.message : String(error) };
  }
}
