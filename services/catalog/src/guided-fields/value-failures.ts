import { isDateTime } from "@assistant/kit/rules/format.js";
import { stringFailure } from "@assistant/kit/rules/scalar-rules.js";
import {
  notFinite,
  notOneOf,
  tooFew,
  tooMany,
  VIOLATIONS_MAX,
  type Violation,
  valueError,
  violation,
} from "@assistant/kit/rules/violation.js";
import type { RenderedField } from "../store/guided-field-lists.js";
import { optionOf, wordsOf } from "./options.js";

/** What is wrong with a value that was sent for a field. */
export function failuresOf(
  field: RenderedField,
  value: unknown,
  path: readonly string[],
  languages: readonly string[],
): Violation[] {
  switch (field.type) {
    case "text":
    case "textarea":
      return only(typeof value === "string" ? textFailure(value, path) : notA("string", path));
    case "number":
      return only(typeof value === "number" ? numberFailure(value, path) : notA("number", path));
    case "date":
      return only(typeof value === "string" ? dateFailure(value, path) : notA("string", path));
    case "boolean":
      return only(typeof value === "boolean" ? undefined : notA("boolean", path));
    case "select":
      return only(optionFailure(field, value, path, languages));
    case "multi_select":
      return Array.isArray(value) ? listFailures(field, value, path, languages) : [notA("list", path)];
  }
}

const TEXT_MAX = 10_000;
/** As many as a field has at most. */
const CHOSEN_MAX = 100;
/** Options that are longer together are not repeated to a client: a fault holds little. */
const WORDS_MAX = 500;

const textFailure = stringFailure({ min_length: 1, max_length: TEXT_MAX });

const TYPES = { string: "string_type", number: "float_type", boolean: "bool_type", list: "list_type" } as const;

function notA(kind: keyof typeof TYPES, path: readonly string[]): Violation {
  return violation(path, TYPES[kind], `Input should be a valid ${kind}`);
}

function numberFailure(value: number, path: readonly string[]): Violation | undefined {
  return Number.isFinite(value) ? undefined : notFinite(path);
}

function dateFailure(text: string, path: readonly string[]): Violation | undefined {
  const isDate = text.length === "yyyy-mm-dd".length && isDateTime(`${text}T00:00:00Z`);
  return isDate ? undefined : valueError(path, "Not a day of the calendar in the form YYYY-MM-DD");
}

function optionFailure(
  field: RenderedField,
  value: unknown,
  path: readonly string[],
  languages: readonly string[],
): Violation | undefined {
  if (typeof value !== "string") {
    return notA("string", path);
  }
  if (optionOf(field, value, languages) !== undefined) {
    return undefined;
  }
  const words = wordsOf(field, languages);
  return words.join("").length > WORDS_MAX ? valueError(path, "Not one of the options") : notOneOf(path, words);
}

function listFailures(
  field: RenderedField,
  values: readonly unknown[],
  path: readonly string[],
  languages: readonly string[],
): Violation[] {
  if (values.length > CHOSEN_MAX) {
    return [tooMany(path, "List", CHOSEN_MAX, values.length)];
  }
  if (values.length === 0) {
    return field.required ? [tooFew(path, "List", 1, 0)] : [];
  }
  const chosen = new Set<unknown>();
  const found = values.flatMap((value, index) => {
    const inside = [...path, String(index)];
    const failure = optionFailure(field, value, inside, languages);
    if (failure !== undefined) return [failure];
    const option = optionOf(field, value, languages);
    const isRepeated = chosen.has(option);
    chosen.add(option);
    return isRepeated ? [valueError(inside, "Repeated option")] : [];
  });
  return found.slice(0, VIOLATIONS_MAX);
}

function only(failure: Violation | undefined): Violation[] {
  return failure === undefined ? [] : [failure];
}
