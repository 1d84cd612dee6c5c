import { fetch } from "undici";
import type { Egress } from "./egress.js";

/** Whether anything answers under an address, whatever it answers. */
export async function isReachable(egress: Egress, url: string): Promise<boolean> {
  if (!egress.allowsHost(new URL(url).hostname)) {
    return false;
  }
  try {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const response = await fetch(url, { dispatcher: egress.dispatcher, redirect: "manual", method: "GET", signal });
    await response.body?.cancel();
    return true;
  } catch {
    // Why there is no answer may describe what stands inside, and is nobody's business outside.
    return false;
  }
}

const LIMIT_MS = 5_000;
