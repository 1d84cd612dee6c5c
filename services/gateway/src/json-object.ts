import {
  notADictionary,
  notFinite,
  notUnicode,
  VIOLATIONS_MAX,
  type Violation,
  valueError,
} from "@assistant/kit/rules/violation.js";
import { isWellFormed } from "./lax.js";

interface Failure {
  readonly violation: Violation;
  readonly at: readonly string[];
}

/** What is wrong with a value that is to be an object of any JSON: its kind, and what JSON could not pass on as it is. */
export function jsonObjectFailures(value: unknown): readonly Failure[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [{ violation: notADictionary([]), at: [] }];
  }
  const all: Failure[] = [];
  collect(value, [], all);
  if (all.length === 0 && Buffer.byteLength(JSON.stringify(value)) > TEXT_BYTES_MAX) {
    all.push({ violation: valueError([], "The object is too large"), at: [] });
  }
  return all;
}

/** A body is no larger, but a number such as 1e20 is longer once it is written out. */
const TEXT_BYTES_MAX = 2_097_152;

/** Values come from JSON of at most 500 levels, so recursion ends. */
function collect(value: unknown, at: readonly string[], all: Failure[]): void {
  if (all.length >= VIOLATIONS_MAX) return;
  if (typeof value === "number" && !Number.isFinite(value)) all.push({ violation: notFinite([]), at });
  if (typeof value === "string" && !isWellFormed(value)) all.push({ violation: notUnicode([]), at });
  if (typeof value !== "object" || value === null) return;
  for (const [name, entry] of Object.entries(value)) collect(entry, [...at, name], all);
}
