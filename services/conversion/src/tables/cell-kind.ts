import { type MomentKind, momentKind } from "./moment.js";

/**
 * What a text looks like on its own; what it is, its column decides. `code` is a number that a spreadsheet would spoil: leading
 * zeros, a plus sign, more than 15 digits. `pointOrGroups` is `1.234`, `commaOrGroups` is `1,234`: both may part thousands.
 */
export type Kind =
  | "text"
  | "boolean"
  | "code"
  | "integer"
  | "point"
  | "pointOrGroups"
  | "comma"
  | "commaOrGroups"
  | "english"
  | "integerPercent"
  | "pointPercent"
  | "commaPercent"
  | MomentKind;

/** What a text looks like; spaces around it must be gone. */
export function kindOf(text: string): Kind {
  const first = text.charCodeAt(0);
  // Nearly all texts begin with a letter, nearly all other cells are whole numbers: both are told apart without a pattern.
  if (first > NINE) return isBoolean(text) ? "boolean" : "text";
  if (!(first >= PLUS)) return "text";
  return integerKind(text, first === MINUS ? 1 : 0) ?? markedKind(text);
}

const DIGITS_MAX = 15;
const PLUS = 43;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;

function isBoolean(text: string): boolean {
  return (text.length === 4 || text.length === 5) && /^(?:true|false|True|False|TRUE|FALSE)$/.test(text);
}

/** Undefined if there is anything but digits from that place on. */
function integerKind(text: string, from: number): Kind | undefined {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) return undefined;
  }
  const digits = text.length - from;
  if (digits === 0) return "text";
  const isPadded = digits > 1 && text.charCodeAt(from) === ZERO;
  return isPadded || digits > DIGITS_MAX ? "code" : "integer";
}

function markedKind(text: string): Kind {
  if (/[^-+0-9.,:%T ]/.test(text)) return "text";
  const moment = momentKind(text);
  if (moment !== undefined) return moment;
  const kind = patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? "text";
  return kind !== "text" && isTooPrecise(text) ? "code" : kind;
}

function isTooPrecise(text: string): boolean {
  return text.length > DIGITS_MAX && text.replace(/\D/g, "").replace(/^0+/, "").length > DIGITS_MAX;
}

const whole = "-?(?:0|[1-9][0-9]*)";
const thousands = String.raw`-?[1-9]\d{0,2}(?:\.\d{3})`;

/** The first that fits counts. */
const patterns: readonly (readonly [Kind, RegExp])[] = [
  ["pointOrGroups", new RegExp(`^${thousands}$`)],
  ["point", new RegExp(String.raw`^${whole}\.\d+$`)],
  ["commaOrGroups", /^-?[1-9]\d{0,2},\d{3}$/],
  ["comma", new RegExp(String.raw`^(?:(?:${whole}|${thousands}+),\d+|${thousands}{2,})$`)],
  ["english", /^-?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/],
  ["integerPercent", new RegExp(`^${whole} ?%$`)],
  ["pointPercent", new RegExp(String.raw`^${whole}\.\d+ ?%$`)],
  ["commaPercent", new RegExp(String.raw`^${whole},\d+ ?%$`)],
  ["code", /^(?:[+-]?0\d+|\+\d+)(?:[.,]\d+)?$/],
];
