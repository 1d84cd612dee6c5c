import { childrenOf, isNamed, manyOf, oneOf, textOf } from "./dom.js";
import { ASSERTION } from "./names.js";
import { refuse } from "./refusal.js";
import { type Clocks, instantOf, isFuture, isPast } from "./times.js";

/** Whether an assertion holds now and for us. Answers when it ends. */
export function checkConditions(assertion: Element, entityId: string, issuedAtMs: number, clocks: Clocks): number {
  const conditions = oneOf(assertion, ASSERTION, "Conditions", "conditions");
  const isKnown = (child: Element) => child.namespaceURI === ASSERTION && KNOWN.has(child.localName);
  if (!childrenOf(conditions).every(isKnown)) {
    refuse("conditions");
  }
  const startsAtMs = instantOf(conditions, "NotBefore", "conditions") ?? issuedAtMs;
  const endsAtMs = instantOf(conditions, "NotOnOrAfter", "conditions") ?? refuse("conditions");
  if (isFuture(startsAtMs, clocks) || endsAtMs <= startsAtMs || endsAtMs - startsAtMs > WINDOW_MAX_MS) {
    refuse("conditions");
  }
  if (isPast(endsAtMs, clocks)) {
    refuse("expired");
  }
  checkAudience(conditions, entityId);
  return endsAtMs;
}

const KNOWN = new Set(["AudienceRestriction", "OneTimeUse", "ProxyRestriction"]);
/** The longest that a large provider is known to give: Microsoft documents 70 minutes for Entra. */
const WINDOW_MAX_MS = 70 * 60_000;

/** Each restriction must name us: they are joined by "and". */
function checkAudience(conditions: Element, entityId: string): void {
  const restrictions = manyOf(conditions, ASSERTION, "AudienceRestriction");
  const namesUs = (restriction: Element) => {
    const children = childrenOf(restriction);
    const areAudiences = children.every((child) => isNamed(child, ASSERTION, "Audience"));
    return areAudiences && children.some((child) => textOf(child, "audience") === entityId);
  };
  if (restrictions.length === 0 || !restrictions.every(namesUs)) {
    refuse("audience");
  }
}
