import { sheetLimits } from "./limits.js";
import { withoutForbidden } from "./xml-text.js";

/** Names that a workbook may have: allowed, at most 31 characters, no two alike. Ask in the order of the sheets. */
export function sheetNames(): (wished: string) => string {
  const taken = new Set<string>();
  return (wished) => {
    const allowed = allowedName(wished);
    let name = cut(allowed, "");
    for (let number = 2; taken.has(name.toLowerCase()); number++) {
      name = cut(allowed, ` (${number})`);
    }
    taken.add(name.toLowerCase());
    return name;
  };
}

/** No name may hold `: \ / ? * [ ]` or begin or end with an apostrophe; `History` is kept for what tracks changes. */
function allowedName(wished: string): string {
  const name = withoutForbidden(wished)
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/[:\\/?*[\]]/g, " ")
    .replace(/\s+/g, " ")
    .replace(/^[' ]+|[' ]+$/g, "");
  if (name === "") return "Sheet";
  return name.toLowerCase() === "history" ? `${name}_` : name;
}

/** Whole characters only, and no apostrophe or space where the cut is. */
function cut(name: string, ending: string): string {
  const room = sheetLimits.nameCharacters - ending.length;
  let kept = "";
  for (const character of name) {
    if (kept.length + character.length > room) break;
    kept += character;
  }
  return kept.replace(/[' ]+$/, "") + ending;
}
