import { cutText, fieldRequired, VIOLATIONS_MAX, type Violation, violation } from "@assistant/kit/rules/violation.js";
import type { RenderedField } from "../store/guided-field-lists.js";
import { optionOf } from "./options.js";
import { textIn } from "./texts.js";
import { failuresOf } from "./value-failures.js";

/** Values as they were sent, by the names of their fields. */
export type SentValues = Readonly<Record<string, unknown>>;

/** What is wrong with values: those of the fields in their order, then those that are no field's, as they were sent. */
export function wrongValues(
  fields: readonly RenderedField[],
  values: SentValues,
  languages: readonly string[],
): Violation[] {
  const names = new Set(fields.map(({ name }) => name));
  const found = fields.flatMap((field) => wrongValue(field, values, languages));
  const unknown = Object.keys(values).filter((name) => !names.has(name));
  return [...found, ...unknown.slice(0, VIOLATIONS_MAX).map(noField)].slice(0, VIOLATIONS_MAX);
}

/** The text of a field's value, options in the first of these languages that they have; undefined: there is none. */
export function textOf(field: RenderedField, values: SentValues, languages: readonly string[]): string | undefined {
  const value = Object.hasOwn(values, field.name) ? values[field.name] : null;
  if (value === null) {
    return undefined;
  }
  const shown = (chosen: unknown) => textIn(optionOf(field, chosen, languages) ?? {}, languages);
  switch (field.type) {
    case "select":
      return shown(value);
    case "multi_select":
      return Array.isArray(value) && value.length > 0 ? value.map(shown).join(", ") : undefined;
    case "text":
    case "textarea":
    case "date":
    case "number":
    case "boolean":
      return typeof value === "string" ? value : JSON.stringify(value);
  }
}

function wrongValue(field: RenderedField, values: SentValues, languages: readonly string[]): Violation[] {
  const path = ["values", field.name];
  if (!Object.hasOwn(values, field.name)) {
    return field.required ? [fieldRequired(path)] : [];
  }
  const value = values[field.name];
  return value === null && !field.required ? [] : failuresOf(field, value, path, languages);
}

function noField(name: string): Violation {
  return violation(["values", cutText(name)], "extra_forbidden", "Extra inputs are not permitted");
}
