import { setTimeout as delay } from "node:timers/promises";

/** Asks again and again until the answer is true; what fails on the way is told only if it never becomes so. */
export async function until(holds: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const giveUpAtMs = Date.now() + timeoutMs;
  let failure: unknown;
  while (Date.now() < giveUpAtMs) {
    try {
      if (await holds()) {
        return;
      }
    } catch (error) {
      failure = error;
    }
    await delay(POLL_MS);
  }
  throw new Error(`it did not become true within ${timeoutMs} ms`, { cause: failure });
}

const POLL_MS = 10;
