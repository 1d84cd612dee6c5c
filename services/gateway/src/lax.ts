import { notFinite, notUnicode, type Violation, violation } from "@assistant/kit/rules/violation.js";

/** A value of JSON or of a query, read as generously as the contract says: the value, or why there is none. */
export type Reading<Value> = Value | Violation;

/** Whole numbers, also as `2.0`, `true` or text. */
export function readInteger(value: unknown): Reading<number> {
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "string") return integerOfText(value);
  if (typeof value !== "number") return wrong("int_type", "Input should be a valid integer");
  if (!Number.isFinite(value)) return notFinite([]);
  if (!Number.isInteger(value)) {
    return wrong("int_from_float", "Input should be a valid integer, got a number with a fractional part");
  }
  return Math.abs(value) < INT64 ? value : exceeded();
}

/** Numbers, also as `true` or text. */
export function readNumber(value: unknown): Reading<number> {
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "string") return numberOfText(value);
  return typeof value === "number" ? finite(value) : wrong("float_type", "Input should be a valid number");
}

/** True and false, also as 0, 1 and the usual words. */
export function readBoolean(value: unknown): Reading<boolean> {
  if (typeof value === "boolean") return value;
  if (value === 1) return true;
  if (value === 0) return false;
  if (typeof value === "string") return booleanOfText(value);
  const isWhole = Number.isInteger(value) && Math.abs(Number(value)) < INT64;
  return isWhole ? unclear() : wrong("bool_type", "Input should be a valid boolean");
}

/** Half of a pair of UTF-16 code units without the other stands for no character. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

/** 2^63: beyond it a number with dot or exponent is refused for its size. */
export const INT64 = 2 ** 63;

const LONE_SURROGATE = /\p{Surrogate}/u;
const INTEGER = /^[ \t\n\v\f\r]*[+-]?([0-9]+)(?:\.0+)?[ \t\n\v\f\r]*$/;
const NUMBER = /^[ \t\n\v\f\r]*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t\n\v\f\r]*$/;
const NOT_FINITE = /^[ \t\n\v\f\r]*[+-]?(?:nan|inf|infinity)[ \t\n\v\f\r]*$/i;
const TRUE = new Set(["1", "on", "t", "true", "y", "yes"]);
const FALSE = new Set(["0", "off", "f", "false", "n", "no"]);
const DIGITS_MAX = 4_300;

function integerOfText(text: string): Reading<number> {
  if (!isWellFormed(text)) return notUnicode([]);
  const [, digits] = INTEGER.exec(text) ?? [];
  if (digits === undefined) {
    return wrong("int_parsing", "Input should be a valid integer, unable to parse string as an integer");
  }
  return digits.length > DIGITS_MAX ? exceeded() : Number(text);
}

function numberOfText(text: string): Reading<number> {
  if (!isWellFormed(text)) return notUnicode([]);
  if (NUMBER.test(text)) return finite(Number(text));
  if (NOT_FINITE.test(text)) return notFinite([]);
  return wrong("float_parsing", "Input should be a valid number, unable to parse string as a number");
}

function booleanOfText(text: string): Reading<boolean> {
  if (!isWellFormed(text)) return notUnicode([]);
  const word = text.toLowerCase();
  if (TRUE.has(word)) return true;
  return FALSE.has(word) ? false : unclear();
}

function finite(number: number): Reading<number> {
  return Number.isFinite(number) ? number : notFinite([]);
}

function unclear(): Violation {
  return wrong("bool_parsing", "Input should be a valid boolean, unable to interpret input");
}

function exceeded(): Violation {
  return wrong("int_parsing_size", "Unable to parse input string as an integer, exceeded maximum size");
}

function wrong(type: string, text: string): Violation {
  return violation([], type, text);
}
