/** Without the characters that XML 1.0 forbids; those that stand alone as halves of a pair become U+FFFD when written. */
export function withoutForbidden(text: string): string {
  return forbidden.test(text) ? text.replace(everyForbidden, "") : text;
}

/** As content of an element or value of an attribute of a spreadsheet part; forbidden characters are gone already. */
export function escaped(text: string): string {
  if (!special.test(text)) return text;
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, "_x005F_")
    .replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

const forbiddenRanges = [
  [0x00, 0x08],
  [0x0b, 0x0c],
  [0x0e, 0x1f],
  [0xfffe, 0xffff],
] as const;
const forbidden = new RegExp(
  `[${forbiddenRanges
    .map((range) =>
      String.fromCharCode(...range)
        .split("")
        .join("-"),
    )
    .join("")}]`,
);
const everyForbidden = new RegExp(forbidden, "g");

// Spreadsheets read `_x000A_` as the character of that number, so an underscore that would begin one is written as its own.
const special = /[&<>"]|_x/;

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
