import type { Call } from "./call.js";
import { stale } from "./fault.js";

/** Throws unless `If-Match` is absent or names this version. To be called with the row held. */
export function requireMatch({ ifMatch }: Pick<Call, "ifMatch">, version: number): void {
  if (ifMatch !== undefined && ifMatch !== "*" && !ifMatch.includes(String(version))) {
    throw stale();
  }
}
