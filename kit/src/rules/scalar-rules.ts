import type { FieldRules } from "@assistant/proto/assistant/common/v1/rules.js";
import { type DescEnum, ScalarType } from "@bufbuild/protobuf";
import { wordsOf } from "./descriptor.js";
import { formatFailure } from "./format.js";
import {
  aboveMost,
  belowLeast,
  notFinite,
  notOneOf,
  notUnicode,
  nullCharacter,
  patternMismatch,
  tooLong,
  tooShort,
  type Violation,
} from "./violation.js";

/** The first thing that is wrong with a value that holds no others. */
export type Failure = (value: unknown, path: readonly string[]) => Violation | undefined;

export function scalarFailure(scalar: ScalarType | undefined, rules: FieldRules | undefined): Failure {
  if (scalar === ScalarType.STRING) {
    return stringFailure(rules);
  }
  // Neither truth nor bytes can break a rule that there is.
  return scalar === ScalarType.BOOL || scalar === ScalarType.BYTES ? () => undefined : numberFailure(rules);
}

export function enumFailure(described: DescEnum): Failure {
  const words = wordsOf(described);
  const names = new Set(described.values.filter(({ number }) => number !== 0).map(({ name }) => name));
  return (value, path) => (typeof value === "string" && names.has(value) ? undefined : notOneOf(path, words));
}

function numberFailure(rules: FieldRules | undefined): Failure {
  const { ge = Number.NEGATIVE_INFINITY, le = Number.POSITIVE_INFINITY } = rules ?? {};
  return (value, path) => {
    const number = Number(value);
    if (!Number.isFinite(number)) {
      return notFinite(path);
    }
    if (number < ge) {
      return belowLeast(path, ge);
    }
    return number > le ? aboveMost(path, le) : undefined;
  };
}

export function stringFailure(rules: Partial<FieldRules> | undefined): Failure {
  const {
    min_length = 0,
    max_length = Number.POSITIVE_INFINITY,
    pattern = "",
    format = "FORMAT_UNSPECIFIED",
  } = rules ?? {};
  const expression = pattern === "" ? undefined : new RegExp(pattern, "u");
  const formatted = formatFailure(format);
  return (value, path) => {
    const text = String(value);
    if (LONE_SURROGATE.test(text)) {
      return notUnicode(path);
    }
    return (
      lengthFailure(text, min_length, max_length, path) ??
      (expression !== undefined && !expression.test(text) ? patternMismatch(path, pattern) : undefined) ??
      (text.includes("\0") ? nullCharacter(path) : undefined) ??
      formatted?.(text, path)
    );
  };
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function lengthFailure(text: string, least: number, most: number, path: readonly string[]): Violation | undefined {
  // A code point is one or two units: most texts need no counting.
  if (text.length >= least * 2 && text.length <= most) {
    return undefined;
  }
  const length = codePoints(text);
  if (length < least) {
    return tooShort(path, least);
  }
  return length > most ? tooLong(path, most) : undefined;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) {
    count += 1;
  }
  return count;
}
