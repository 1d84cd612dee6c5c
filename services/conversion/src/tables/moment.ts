import { daySerial, timeSerial } from "./calendar.js";

export type MomentKind = "date" | "dateTime" | "germanDate" | "germanDateTime" | "time";

/**
 * The kind of moment that a text names, if there is such a day and time. A time with an offset or Z is none: spreadsheets
 * know no time zones, and dropping one changes what is meant.
 */
export function momentKind(text: string): MomentKind | undefined {
  const kind = shapeOf(text);
  return kind === undefined || momentSerial(text, kind) === undefined ? undefined : kind;
}

/** Days since the last day of 1899; undefined if the text is no moment of that kind. */
export function momentSerial(text: string, kind: MomentKind): number | undefined {
  switch (kind) {
    case "date":
      return text.length === ISO_DAY_LENGTH ? isoDay(text) : undefined;
    case "dateTime":
      return sum(isoDay(text), clock(text, ISO_DAY_LENGTH + 1));
    case "time":
      return clock(text, 0);
    case "germanDate":
      return text.includes(":") ? undefined : germanMoment(text);
    case "germanDateTime":
      return germanMoment(text);
  }
}

const ISO_DAY_LENGTH = 10;
const SPACE = 32;
const MINUS = 45;
const DOT = 46;
const ZERO = 48;
const COLON = 58;
const T = 84;

/** Tells by the places of the separators: this is asked of millions of cells. */
function shapeOf(text: string): MomentKind | undefined {
  if (text.charCodeAt(4) === MINUS) {
    const parting = text.charCodeAt(ISO_DAY_LENGTH);
    if (Number.isNaN(parting)) return "date";
    return parting === T || parting === SPACE ? "dateTime" : undefined;
  }
  if (text.charCodeAt(2) === COLON) return "time";
  if (text.charCodeAt(1) !== DOT && text.charCodeAt(2) !== DOT) return undefined;
  return text.includes(":") ? "germanDateTime" : "germanDate";
}

function isoDay(text: string): number | undefined {
  if (text.charCodeAt(4) !== MINUS || text.charCodeAt(7) !== MINUS) return undefined;
  return daySerial(digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10));
}

function germanMoment(text: string): number | undefined {
  const match = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,? (?=\d))?/.exec(text);
  if (match === null) return undefined;
  const days = daySerial(Number(match[3]), Number(match[2]), Number(match[1]));
  return text.length === match[0].length ? days : sum(days, clock(text, match[0].length));
}

/** `hh:mm`, `hh:mm:ss` or `hh:mm:ss.fff` from a place to the end. */
function clock(text: string, from: number): number | undefined {
  const length = text.length - from;
  const isShort = length === 5;
  if (text.charCodeAt(from + 2) !== COLON || !(isShort || text.charCodeAt(from + 5) === COLON)) return undefined;
  const hasFraction = length > 9 && length <= 12 && text.charCodeAt(from + 8) === DOT;
  if (!isShort && length !== 8 && !hasFraction) return undefined;
  const fraction = hasFraction ? digits(text, from + 9, text.length) / 10 ** (length - 9) : 0;
  const seconds = isShort ? 0 : digits(text, from + 6, from + 8);
  return timeSerial(digits(text, from, from + 2), digits(text, from + 3, from + 5), seconds + fraction);
}

/** NaN if any of the characters is no digit. */
function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

function sum(days: number | undefined, time: number | undefined): number | undefined {
  return days === undefined || time === undefined ? undefined : days + time;
}
