import type { Call } from "@assistant/kit/call.js";
import { stale } from "@assistant/kit/fault.js";

/** Throws unless `If-Match` is absent or names this version. To be called with the row held. */
export function requireMatch(call: Call, version: number): void {
  const { ifMatch } = call;
  if (ifMatch !== undefined && ifMatch !== "*" && !ifMatch.includes(String(version))) {
    throw stale();
  }
}
