import { type MessageSchema, messageNameOf, type Schemas, typeOf, type ValueSchema, wordsOf } from "./schema.js";

/**
 * A body that can be sent as it is, apart from ids of things that the reader has: what is required, and of the rest what the
 * protos give an example of. The reference page would otherwise fill in every field, also those that exclude each other.
 */
export function exampleOf(schema: MessageSchema, schemas: Schemas): Readonly<Record<string, unknown>> {
  const absent = absentOf(schema);
  const shown = Object.entries(schema.properties).filter(
    ([name, field]) => schema.required.includes(name) || field.examples !== undefined || absent.needed.has(name),
  );
  const filled = shown.filter(([name]) => !absent.excluded.has(name));
  const example = Object.fromEntries(filled.map(([name, field]) => [name, sampleOf(field, schemas, name)]));
  return withTies(schema, example, schemas);
}

/** Of the fields that exclude each other the one with an example stays, else the first. */
function absentOf({ properties, "x-exactly-one": choices = [] }: MessageSchema) {
  const chosen = choices.map(({ fields }) => fields.find((name) => properties[name]?.examples) ?? fields[0] ?? "");
  const all = choices.flatMap(({ fields, or }) => [...fields, ...or]);
  return { needed: new Set(chosen), excluded: new Set(all.filter((name) => !chosen.includes(name))) };
}

/** A field that goes with certain words of another is there exactly when one of them is. */
function withTies(schema: MessageSchema, example: Record<string, unknown>, schemas: Schemas): Record<string, unknown> {
  const tied = { ...example };
  for (const { property, decider, words } of schema["x-only-with"] ?? []) {
    const field = schema.properties[property];
    if (!words.some((word) => word === example[decider])) delete tied[property];
    else if (field !== undefined) tied[property] = sampleOf(field, schemas, property);
  }
  return tied;
}

function sampleOf(field: ValueSchema, schemas: Schemas, name: string): unknown {
  const [given] = field.examples ?? [];
  if (given !== undefined) return given;
  if (field.default !== undefined) return field.default;
  const message = schemas.requests[messageNameOf(field) ?? ""];
  if (message !== undefined) return exampleOf(message, schemas);
  const type = typeOf(field);
  if (type === "array" && field.items !== undefined) return [sampleOf(field.items, schemas, name)];
  if (type === "boolean") return false;
  if (type === "integer" || type === "number") return field.minimum ?? 0;
  const [word] = wordsOf(field);
  if (word === undefined) throw new Error(`${name} is shown in an example, so its proto has to give one`);
  return word;
}
