import type { GuidedSearchFieldType } from "@assistant/proto/assistant/catalog/v1/guided_fields.js";
import type { FieldType } from "../store/guided-fields.js";

export function presentType(type: FieldType): GuidedSearchFieldType {
  return NAMES[type];
}

/** The type of a checked request, which is none that only a newer contract knows. */
export function readType(name: GuidedSearchFieldType): FieldType {
  const type = TYPES.get(name);
  if (type === undefined) {
    throw new Error(`a type of field without a word got past the rules: ${name}`);
  }
  return type;
}

/** Whether values of the type are chosen out of options. */
export function isChoice(type: FieldType): boolean {
  return type === "select" || type === "multi_select";
}

const NAMES = {
  text: "GUIDED_SEARCH_FIELD_TYPE_TEXT",
  textarea: "GUIDED_SEARCH_FIELD_TYPE_TEXTAREA",
  number: "GUIDED_SEARCH_FIELD_TYPE_NUMBER",
  date: "GUIDED_SEARCH_FIELD_TYPE_DATE",
  boolean: "GUIDED_SEARCH_FIELD_TYPE_BOOLEAN",
  select: "GUIDED_SEARCH_FIELD_TYPE_SELECT",
  multi_select: "GUIDED_SEARCH_FIELD_TYPE_MULTI_SELECT",
} as const satisfies Readonly<Record<FieldType, GuidedSearchFieldType>>;

// Object.entries forgets that the keys are the types, which the constant guarantees.
const TYPES = new Map<string, FieldType>(Object.entries(NAMES).map(([type, name]) => [name, type as FieldType]));
