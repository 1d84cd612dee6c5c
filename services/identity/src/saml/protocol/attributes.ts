import { attributeOf, childrenOf, manyOf, trimmed } from "./dom.js";
import { ASSERTION } from "./names.js";
import { refuse } from "./refusal.js";

/** The attributes of a signed assertion. What stands several times under one name is one attribute with several values. */
export function readAttributes(assertion: Element): ReadonlyMap<string, readonly string[]> {
  // A map: as a property, a name of the provider's choice could be `__proto__`.
  const attributes = new Map<string, string[]>();
  for (const statement of manyOf(assertion, ASSERTION, "AttributeStatement")) {
    for (const attribute of manyOf(statement, ASSERTION, "Attribute")) {
      const name = attributeOf(attribute, "Name") ?? "";
      if (name === "") {
        refuse("attributes");
      }
      attributes.set(name, [...(attributes.get(name) ?? []), ...valuesOf(attribute)]);
    }
  }
  return attributes;
}

/** How many values an assertion may have, whatever they are. */
export const VALUES_MAX = 2_000;

/** Values that are text. Others, such as a name id within an attribute, say nothing that we could use. */
function valuesOf(attribute: Element): string[] {
  return manyOf(attribute, ASSERTION, "AttributeValue")
    .filter((value) => childrenOf(value).length === 0)
    .map((value) => trimmed(value.textContent ?? ""));
}
