import { formatFailure } from "@assistant/kit/rules/format.js";
import {
  aboveMost,
  belowLeast,
  notOneOf,
  notUnicode,
  nullCharacter,
  patternMismatch,
  tooLong,
  tooShort,
  type Violation,
  violation,
} from "@assistant/kit/rules/violation.js";
import { isWellFormed, type Reading, readBoolean, readInteger, readNumber } from "./lax.js";
import { isNullable, typeOf, type ValueSchema, wordsOf } from "./schema.js";

/** The first thing that is wrong with a value that holds no others: kind, length, pattern, null character. */
export type ScalarCheck = (value: unknown) => Violation | undefined;

/** The check of such a value, by its schema. */
export function scalarCheck(schema: ValueSchema): ScalarCheck {
  const check = presentCheck(schema);
  return isNullable(schema) ? (value) => (value === null ? undefined : check(value)) : check;
}

function presentCheck(schema: ValueSchema): ScalarCheck {
  if (schema.enum !== undefined) return wordCheck(wordsOf(schema));
  const type = typeOf(schema);
  if (type === "string") return textCheck(schema);
  if (type === "integer") return boundedCheck(readInteger, schema);
  if (type === "number") return boundedCheck(readNumber, schema);
  if (type === "boolean") return (value) => failureOf(readBoolean(value));
  throw new Error(`a schema of the type ${String(type)} is no scalar's`);
}

function wordCheck(words: readonly string[]): ScalarCheck {
  const known = new Set<unknown>(words);
  return (value) => {
    if (known.has(value)) return undefined;
    return typeof value === "string" && !isWellFormed(value) ? notUnicode([]) : notOneOf([], words);
  };
}

function boundedCheck(read: (value: unknown) => Reading<number>, schema: ValueSchema): ScalarCheck {
  return (value) => {
    const number = read(value);
    return typeof number === "number" ? boundFailure(number, schema) : number;
  };
}

/** What a number breaks of its least and most. */
export function boundFailure(number: number, { minimum, maximum }: ValueSchema): Violation | undefined {
  if (minimum !== undefined && number < minimum) return belowLeast([], minimum);
  if (maximum !== undefined && number > maximum) return aboveMost([], maximum);
  return undefined;
}

function textCheck({ minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format }: ValueSchema): ScalarCheck {
  const formatted = format === undefined ? undefined : formatCheck(format);
  const expression = pattern === undefined ? undefined : new RegExp(pattern, "u");
  return (value) => {
    if (typeof value !== "string") return violation([], "string_type", "Input should be a valid string");
    if (!isWellFormed(value)) return notUnicode([]);
    if (isShorter(value, minLength)) return tooShort([], minLength);
    if (isLonger(value, maxLength)) return tooLong([], maxLength);
    if (pattern !== undefined && expression?.test(value) === false) return patternMismatch([], pattern);
    if (value.includes("\0")) return nullCharacter([]);
    return formatted?.(value, []);
  };
}

function formatCheck(format: string): ReturnType<typeof formatFailure> {
  switch (format) {
    case "date-time":
      return formatFailure("FORMAT_DATE_TIME");
    case "uri":
      return formatFailure("FORMAT_URL");
    default:
      throw new Error(`no text has the format ${format}`);
  }
}

// A code point is one UTF-16 code unit or two, so most texts need no counting.
function isShorter(text: string, least: number): boolean {
  return text.length < least || (text.length < 2 * least && codePoints(text) < least);
}

function isLonger(text: string, most: number): boolean {
  return text.length > 2 * most || (text.length > most && codePoints(text) > most);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function failureOf(reading: Reading<boolean>): Violation | undefined {
  return typeof reading === "boolean" ? undefined : reading;
}
