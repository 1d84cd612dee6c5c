import type { Verdict } from "./protocol.js";
import { isRefusal } from "./refusal.js";

/** What came of reading a message. What is no refusal is a failure of ours, and stays one. */
export async function verdictOf<T>(read: () => T | Promise<T>): Promise<Verdict<T>> {
  try {
    return { ok: true, value: await read() };
  } catch (error) {
    if (isRefusal(error)) {
      return { ok: false, code: error.refusal };
    }
    throw error;
  }
}
