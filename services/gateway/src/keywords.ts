import {
  cutText,
  fieldRequired,
  notADictionary,
  tagInvalid,
  tagNotFound,
  tooFew,
  tooMany,
  VIOLATIONS_MAX,
  type Violation,
  valueError,
  violation,
} from "@assistant/kit/rules/violation.js";
import type { Ajv, ErrorObject, SchemaValidateFunction } from "ajv";
import { jsonObjectFailures } from "./json-object.js";
import { scalarCheck } from "./scalar.js";
import type { ExactlyOne, OnlyWith, ValueSchema } from "./schema.js";

/**
 * Adds the kinds of values that we take to ajv: the contract is wider than JSON Schema's types, and its words are other
 * ones. A keyword reports what is wrong as `Found`.
 */
export function addKeywords(ajv: Ajv): void {
  add<ValueSchema>(ajv, "scalar", (schema) => {
    const check = scalarCheck(schema);
    return (value) => found(check(value));
  });
  add<Sizes>(ajv, "list", listFailure);
  add<Entries>(ajv, "dictionary", dictionaryFailures);
  add<{ nullable: boolean }>(ajv, "record", recordFailure);
  add<{ nullable: boolean }>(ajv, "jsonObject", ({ nullable }) => (value) => {
    return value === null && nullable ? [] : jsonObjectFailures(value);
  });
  add<Variant>(ajv, "variant", variantFailure);
  add<readonly string[]>(ajv, "onlyKnown", extraFailures);
  add<readonly OnlyWith[]>(ajv, "onlyWith", tieFailures);
  add<readonly ExactlyOne[]>(ajv, "exactlyOne", choiceFailures);
}

/** What a keyword found: wrong in itself, or wrong unless something at `settledBy` is wrong already. */
export interface Found {
  readonly violation: Violation;
  /** Names from the checked value on. */
  readonly at: readonly string[];
  /** Rules over several values hold only if those are right; empty: if everything is. */
  readonly settledBy?: readonly string[];
  /** Nothing within the value is looked at any more. */
  readonly closes?: true;
}

export interface Sizes {
  readonly nullable: boolean;
  readonly least: number | undefined;
  readonly most: number | undefined;
}

export interface Entries extends Sizes {
  readonly keys: ValueSchema;
  readonly values: ValueSchema;
}

export interface Variant {
  readonly name: string;
  readonly words: readonly string[];
}

/** What keywords found, out of an error of ajv; undefined: the error is one of ajv's own keywords. */
export function foundIn(error: ErrorObject): Found | undefined {
  // Only `add` below sets this parameter, always to a Found.
  return error.params["found"] as Found | undefined;
}

type Check = (value: unknown) => readonly Found[];

function add<Schema>(ajv: Ajv, keyword: string, compile: (schema: Schema) => Check): void {
  ajv.addKeyword({
    keyword,
    errors: true,
    // `checks.ts` writes the schemas, with what the keyword takes.
    compile: (schema: Schema) => {
      const check = compile(schema);
      const validate: SchemaValidateFunction = (value: unknown) => {
        const all = check(value);
        if (all.length === 0) return true;
        validate.errors = all.map((one) => ({ keyword, params: { found: one } }));
        return false;
      };
      return validate;
    },
  });
}

function found(wrong: Violation | undefined, at: readonly string[] = []): readonly Found[] {
  return wrong === undefined ? [] : [{ violation: wrong, at }];
}

function listFailure({ nullable, least, most }: Sizes): Check {
  return (value) => {
    if (value === null && nullable) return [];
    if (!Array.isArray(value)) return found(violation([], "list_type", "Input should be a valid list"));
    return sizeFailure("List", value.length, least, most);
  };
}

function dictionaryFailures({ nullable, least, most, keys, values }: Entries): Check {
  const [checkKey, checkValue] = [scalarCheck(keys), scalarCheck(values)];
  return (value) => {
    if (value === null && nullable) return [];
    if (!isRecord(value)) return found(notADictionary([]));
    const names = Object.keys(value);
    const all = [...sizeFailure("Dictionary", names.length, least, most)];
    for (const name of names) {
      if (all.length >= VIOLATIONS_MAX) break;
      all.push(...found(checkKey(name), [name, KEY]), ...found(checkValue(value[name]), [name]));
    }
    return all;
  };
}

/** Stands in `loc` after a key that is wrong itself. */
export const KEY = "[key]";

function sizeFailure(
  kind: "List" | "Dictionary",
  size: number,
  least: number | undefined,
  most: number | undefined,
): readonly Found[] {
  if (least !== undefined && size < least) return found(tooFew([], kind, least, size));
  if (most === undefined || size <= most) return [];
  return [{ violation: tooMany([], kind, most, size), at: [], closes: true }];
}

function recordFailure({ nullable }: { nullable: boolean }): Check {
  const text = "Input should be a valid dictionary or object to extract fields from";
  return (value) =>
    isRecord(value) || (value === null && nullable) ? [] : found(violation([], "model_attributes_type", text));
}

function variantFailure({ name, words }: Variant): Check {
  return (value) => {
    if (!isRecord(value)) return [];
    const wrong = tagFailure(Object.hasOwn(value, name) ? value[name] : undefined, name, words);
    return wrong === undefined ? [] : [{ violation: wrong, at: [], closes: true }];
  };
}

function tagFailure(tag: unknown, name: string, words: readonly string[]): Violation | undefined {
  if (tag === undefined) return tagNotFound([], name);
  if (words.some((word) => word === tag)) return undefined;
  return tagInvalid([], name, cutText(typeof tag === "string" ? tag : JSON.stringify(tag)), words);
}

// No answer tells more than so many; a body of a million wrong values must not make a million objects.
function extraFailures(names: readonly string[]): Check {
  const known = new Set(names);
  return (value) => {
    if (!isRecord(value)) return [];
    const extra = Object.keys(value).filter((name) => !known.has(name));
    const wrong = violation([], "extra_forbidden", "Extra inputs are not permitted");
    return extra.slice(0, VIOLATIONS_MAX).flatMap((name) => found(wrong, [name]));
  };
}

function tieFailures(ties: readonly OnlyWith[]): Check {
  return (value) => {
    if (!isRecord(value)) return [];
    return ties.flatMap((tie) => {
      const wrong = tieFailure(tie, value[tie.decider], value[tie.property]);
      return wrong === undefined
        ? []
        : [{ violation: wrong, at: [tie.property], settledBy: [tie.property, tie.decider] }];
    });
  };
}

function tieFailure({ words, text }: OnlyWith, decision: unknown, given: unknown): Violation | undefined {
  const isAbsent = given === undefined || given === null;
  const isEmpty = Array.isArray(given) && given.length === 0;
  if (!words.some((word) => word === decision)) return isAbsent || isEmpty ? undefined : valueError([], text);
  if (isAbsent) return fieldRequired([]);
  return isEmpty ? tooFew([], "List", 1, 0) : undefined;
}

function choiceFailures(choices: readonly ExactlyOne[]): Check {
  return (value) => {
    if (!isRecord(value)) return [];
    const isGiven = (name: string) => value[name] !== undefined && value[name] !== null;
    return choices.flatMap(({ fields, or, text }) => {
      const count = fields.filter(isGiven).length;
      const isRight = count === 1 || (count === 0 && or.some(isGiven));
      return isRight ? [] : [{ violation: valueError([], text), at: [], settledBy: [] }];
    });
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
