import { messageRulesOf, rulesOf, wordOf } from "@assistant/kit/rules/descriptor.js";
import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";

/** Turns a value of the generated code into one that `JSON.stringify` writes as the contract says. */
export type Encode = (value: unknown) => unknown;

/** Compiles the encoding of a message: every field is there, without a value as null, `[]` or `{}`. */
export function createEncode(message: DescMessage): Encode {
  return compiler()(message);
}

/** Compiles the encoding of what one field of a message holds, for answers that show only that. */
export function createFieldEncode(message: DescMessage, name: string): Encode {
  const field = message.fields.find((candidate) => candidate.name === name);
  if (field === undefined) throw new Error(`${message.typeName} has no field ${name}`);
  return fieldEncode(field, compiler());
}

function compiler(): (message: DescMessage) => Encode {
  const known = new Map<string, Encode>();
  const compile = (message: DescMessage): Encode => {
    const finished = known.get(message.typeName);
    if (finished !== undefined) return finished;
    const fields: { name: string; encode: Encode }[] = [];
    const encode: Encode = (value) => {
      // The generated code decodes a message into an object with its fields.
      const message = value as Readonly<Record<string, unknown>>;
      const encoded: Record<string, unknown> = {};
      for (const field of fields) encoded[field.name] = field.encode(message[field.name]);
      return encoded;
    };
    // Known before its fields are compiled, since a message may hold itself.
    known.set(message.typeName, encode);
    const shown = message.fields.filter((field) => !rulesOf(field).hidden);
    fields.push(...shown.map((field) => ({ name: field.name, encode: fieldEncode(field, compile) })));
    return encode;
  };
  return compile;
}

type Compile = (message: DescMessage) => Encode;

function fieldEncode(field: DescField, compile: Compile): Encode {
  if (field.oneof !== undefined) throw new Error(`${field.toString()}: JSON has no place for a oneof`);
  const encode = singleEncode(field, compile);
  if (field.fieldKind === "list") {
    // The generated code decodes a repeated field into a list.
    return (values) => ((values ?? []) as readonly unknown[]).map(encode);
  }
  if (field.fieldKind !== "map") return (value) => (value === undefined ? null : encode(value));
  return (entries) => {
    // Without a prototype `__proto__` is a key like any other.
    const encoded: Record<string, unknown> = Object.create(null);
    // The generated code decodes a map into an object.
    for (const [key, value] of Object.entries((entries ?? {}) as object)) encoded[key] = encode(value);
    return encoded;
  };
}

/** How one value, element or entry is encoded. */
function singleEncode(field: DescField, compile: Compile): Encode {
  if (field.enum !== undefined) {
    const given = field.enum.values.filter(({ number }) => number !== 0);
    const words = new Map<unknown, string>(given.map((value) => [value.name, wordOf(value)]));
    // A value that only a newer service knows has no word here.
    return (name) => words.get(name) ?? null;
  }
  if (field.message !== undefined) return messageEncode(field.message, compile);
  if (field.scalar === undefined || !SCALARS.has(field.scalar)) {
    throw new Error(`${field.toString()}: answers hold string, bool, int32 and double`);
  }
  return (value) => value;
}

/** What JSON shows as it is; 64 bits would not fit its numbers. */
const SCALARS = new Set([ScalarType.STRING, ScalarType.BOOL, ScalarType.INT32, ScalarType.DOUBLE]);

function messageEncode(message: DescMessage, compile: Compile): Encode {
  if (message.typeName === "google.protobuf.Timestamp") {
    // The generated code decodes a Timestamp into a Date.
    return (time) => (time as Date).toISOString();
  }
  if (message.typeName.startsWith("google.protobuf.")) throw new Error(`no answer can hold a ${message.typeName}`);
  const [inner] = message.fields;
  if (inner === undefined || !messageRulesOf(message).transparent) return compile(message);
  const encode = fieldEncode(inner, compile);
  // The generated code decodes a message into an object with its fields.
  return (value) => encode((value as Readonly<Record<string, unknown>>)[inner.name]);
}
