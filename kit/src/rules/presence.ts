import type { DescField } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";

/** A message as the generated code decodes it: its fields by their proto names. */
export type Fields = Readonly<Record<string, unknown>>;

/** How the value of a field is found in a message, and whether it is there at all. */
export interface Presence {
  read(message: Fields): unknown;
  isGiven(value: unknown): boolean;
}

export function presenceOf(field: DescField): Presence {
  const read = readerOf(field);
  switch (field.fieldKind) {
    case "list":
      return { read, isGiven: (value) => Array.isArray(value) && value.length > 0 };
    case "map":
      return { read, isGiven: (value) => Object.keys(value ?? {}).length > 0 };
    case "enum":
      return { read, isGiven: isTold(field) ? isDefined : isNotZero(field.enum.values[0]?.name) };
    case "message":
    case "scalar":
      return { read, isGiven: isDefined };
  }
}

function readerOf(field: DescField): Presence["read"] {
  const group = field.oneof?.name;
  if (group === undefined) {
    return (message) => message[field.name];
  }
  return (message) => {
    // Members of a oneof lie under its name, as { $case, value }.
    const chosen = message[group] as { readonly $case: string; readonly value: unknown } | undefined;
    return chosen?.$case === field.name ? chosen.value : undefined;
  };
}

function isTold(field: DescField): boolean {
  return field.presence === FeatureSet_FieldPresence.EXPLICIT;
}

function isDefined(value: unknown): boolean {
  return value !== undefined;
}

// Without presence of its own an enum that was left out has its zero value.
function isNotZero(zero: string | undefined): (value: unknown) => boolean {
  return (value) => value !== undefined && value !== zero;
}
