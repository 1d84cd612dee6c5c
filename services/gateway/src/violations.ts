import { fieldRequired, VIOLATIONS_MAX, type Violation } from "@assistant/kit/rules/violation.js";
import type { ErrorObject } from "ajv";
import { type Found, foundIn } from "./keywords.js";
import { compareRanks, type Place, type Walk } from "./place.js";
import { boundFailure } from "./scalar.js";
import { typeOf, type ValueSchema } from "./schema.js";
import type { Sent } from "./sent.js";

/** One thing that is wrong, at its place. */
export interface Placed {
  readonly violation: Violation;
  readonly place: Place;
  /** It stands only if nothing else is wrong. */
  readonly isLast: boolean;
}

/** What ajv found, in our words: the first failure of each value, in the order of fields, no more than is told. */
export function placedViolations(
  errors: readonly ErrorObject[],
  walk: Walk,
  schema: ValueSchema,
  value: unknown,
  sent?: Sent,
): readonly Placed[] {
  const all = errors.flatMap((error) => findingOf(error) ?? []);
  return standing(all)
    .map((finding) => placed(finding, walk(schema, value, finding.path, sent?.names), sent))
    .sort((one, other) => compareRanks(one.place.rank, other.place.rank))
    .slice(0, VIOLATIONS_MAX);
}

interface Finding extends Found {
  readonly path: readonly string[];
  /** The object that a rule over several values is about. */
  readonly base: readonly string[];
  readonly rule: unknown;
}

function findingOf(error: ErrorObject): Finding | undefined {
  const base = segmentsOf(error.instancePath);
  const found = foundIn(error);
  if (found !== undefined) return { ...found, base, path: [...base, ...found.at], rule: error.schema };
  // Of ajv's own keywords only this one has something to say; `if` merely repeats what its branch found.
  if (error.keyword !== "required") return undefined;
  const at = [String(error.params["missingProperty"])];
  return { violation: fieldRequired([]), at, base, path: [...base, ...at], rule: undefined };
}

function segmentsOf(pointer: string): string[] {
  const segments = pointer.split("/").slice(1);
  return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Less what a failure further out makes pointless, second failures of a value, and rules over wrong values. */
function standing(all: readonly Finding[]): readonly Finding[] {
  const closing = all.filter(({ closes }) => closes);
  const open = all.filter(
    ({ path }) => !closing.some((closer) => isWithin(path, closer.path) && path.length > closer.path.length),
  );
  const [tied, plain] = [open.filter(({ settledBy }) => settledBy), open.filter(({ settledBy }) => !settledBy)];
  const settled = tied.filter(({ base, settledBy = [] }) => {
    const deciders = settledBy.length === 0 ? [base] : settledBy.map((name) => [...base, name]);
    return !plain.some(({ path }) => deciders.some((decider) => isWithin(path, decider)));
  });
  const first = new Map<string, Finding>();
  for (const finding of [...plain, ...settled]) {
    const key = JSON.stringify(finding.path);
    if (!first.has(key)) first.set(key, finding);
  }
  return [...first.values()];
}

function isWithin(path: readonly string[], outer: readonly string[]): boolean {
  return outer.every((name, index) => path[index] === name);
}

function placed(finding: Finding, place: Place, sent: Sent | undefined): Placed {
  const { violation, settledBy, path, rule } = finding;
  const isLast = settledBy?.length === 0;
  const bigger =
    typeof place.value === "number" && OUTSIDE_DOUBLES.has(violation.type)
      ? asWritten(sent, path, place.value, rule)
      : undefined;
  return { violation: bigger ?? violation, place, isLast };
}

const OUTSIDE_DOUBLES = new Set(["int_parsing_size", "finite_number"]);

/** Integers written without dot and exponent may have any size; only the text knows how one was written. */
function asWritten(
  sent: Sent | undefined,
  path: readonly string[],
  value: number,
  rule: unknown,
): Violation | undefined {
  // Only the keyword `scalar` reports these types, and its rule is the schema of the value.
  const schema = rule as ValueSchema;
  const isInteger = typeOf(schema) === "integer" && /^-?\d+$/.test(sent?.numberText(path) ?? "");
  return isInteger ? boundFailure(value, schema) : undefined;
}
