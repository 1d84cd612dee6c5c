import { attributeOf } from "./dom.js";
import { type RefusalCode, refuse } from "./refusal.js";

/** Now, and how far another's clock may be from ours. */
export interface Clocks {
  nowMs: number;
  clockSkewMs: number;
}

/** The instant that an attribute names; undefined: there is no such attribute. */
export function instantOf(element: Element, name: string, code: RefusalCode): number | undefined {
  const text = attributeOf(element, name);
  if (text === undefined) {
    return undefined;
  }
  const instantMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instantMs) ? refuse(code) : instantMs;
}

/** When a message was made: lately, and not in the future. */
export function checkIssueInstant(element: Element, { nowMs, clockSkewMs }: Clocks): number {
  const instantMs = instantOf(element, "IssueInstant", "issue_instant") ?? refuse("issue_instant");
  if (instantMs < nowMs - AGE_MAX_MS - clockSkewMs || instantMs > nowMs + clockSkewMs) {
    refuse("issue_instant");
  }
  return instantMs;
}

export function isPast(instantMs: number, { nowMs, clockSkewMs }: Clocks): boolean {
  return instantMs <= nowMs - clockSkewMs;
}

export function isFuture(instantMs: number, { nowMs, clockSkewMs }: Clocks): boolean {
  return instantMs > nowMs + clockSkewMs;
}

export const AGE_MAX_MS = 300_000;
// SAML wants UTC; some write it as an offset of nothing.
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|\+00:00)$/;
