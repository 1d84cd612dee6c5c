import { attributeOf, oneOf, textOf } from "./dom.js";
import { ASSERTION, ENTITY_FORMAT } from "./names.js";
import { refuse } from "./refusal.js";

/** Whether something says to be from that provider. */
export function checkIssuer(element: Element, entityId: string): void {
  const issuer = oneOf(element, ASSERTION, "Issuer", "issuer");
  const format = attributeOf(issuer, "Format");
  if (textOf(issuer, "issuer") !== entityId || (format !== undefined && format !== ENTITY_FORMAT)) {
    refuse("issuer");
  }
}
