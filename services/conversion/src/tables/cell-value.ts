import { kindOf } from "./cell-kind.js";
import { percentKinds, type Reading, readableKinds } from "./column.js";
import { trimmed } from "./evidence.js";
import { type MomentKind, momentSerial } from "./moment.js";

/** What stands in the sheet for a text read in that way: a number, or 1 and 0 for booleans; undefined if it stays text. */
export function cellValue(text: string, reading: Reading): string | undefined {
  const content = trimmed(text);
  switch (reading.as) {
    case "text":
      return undefined;
    case "boolean":
      return kindOf(content) === "boolean" ? booleanValue(content) : undefined;
    case "number":
      return readableKinds[reading.mark].has(kindOf(content)) ? withPoint(content, reading.mark) : undefined;
    case "percent":
      return percentKinds[reading.mark].has(kindOf(content)) ? hundredth(withPoint(content, reading.mark)) : undefined;
    case "moment":
      return momentValue(content, reading.kind);
  }
}

function booleanValue(text: string): string {
  return text.toLowerCase() === "true" ? "1" : "0";
}

function withPoint(text: string, mark: "point" | "comma"): string {
  return mark === "point" ? text : text.replaceAll(".", "").replace(",", ".");
}

/** Moves the point by two digits: a division would add digits that nobody wrote. */
function hundredth(percent: string): string {
  const [, sign = "", whole = "", decimals = ""] = /^(-?)(\d+)(?:\.(\d+))?/.exec(percent) ?? [];
  const digits = whole.padStart(3, "0");
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}${decimals}`;
}

function momentValue(text: string, kind: MomentKind): string | undefined {
  const isDayAlone = kind === "dateTime" && text.length === ISO_DAY_LENGTH;
  const serial = momentSerial(text, isDayAlone ? "date" : kind);
  return serial === undefined ? undefined : String(serial);
}

const ISO_DAY_LENGTH = 10;
