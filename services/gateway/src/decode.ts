import { messageRulesOf, rulesOf, wordOf } from "@assistant/kit/rules/descriptor.js";
import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { readBoolean, readInteger, readNumber } from "./lax.js";

/** Makes a message of the generated code out of JSON that has passed its checks. */
export type Decode = (fields: Readonly<Record<string, unknown>>) => object;

/** Compiles the decoding of a message. */
export function createDecode(message: DescMessage): Decode {
  const known = new Map<string, Decode>();
  const compile = (described: DescMessage): Decode => {
    const finished = known.get(described.typeName);
    if (finished !== undefined) return finished;
    const fields: FieldDecode[] = [];
    const decode: Decode = (sent) => {
      const decoded: Record<string, unknown> = {};
      for (const field of fields) decoded[field.name] = field.decode(sent);
      return decoded;
    };
    // Known before its fields are compiled, since a message may hold itself.
    known.set(described.typeName, decode);
    fields.push(...described.fields.map((field) => fieldDecode(field, compile)));
    return decode;
  };
  return compile(message);
}

interface FieldDecode {
  readonly name: string;
  decode(sent: Readonly<Record<string, unknown>>): unknown;
}

type Convert = (value: unknown) => unknown;
type Compile = (message: DescMessage) => Decode;

function fieldDecode(field: DescField, compile: Compile): FieldDecode {
  if (field.oneof !== undefined) throw new Error(`${field.toString()}: JSON has no place for a oneof`);
  const { name } = field;
  if (field.message?.typeName === "google.protobuf.FieldMask") return maskDecode(field);
  const absent = absentOf(field);
  // What the gateway fills in itself nobody else may: the checks do not even look at it.
  if (rulesOf(field).hidden) return { name, decode: absent };
  const convert = converterOf(field, compile);
  const decode = (sent: Readonly<Record<string, unknown>>) => {
    const value = sent[name];
    return value === undefined || value === null ? absent() : convert(value);
  };
  return { name, decode };
}

/** The names of the fields that were sent with a value: proto3 cannot tell an empty list from none. */
function maskDecode({ name, parent }: DescField): FieldDecode {
  const names = parent.fields.map((field) => field.name).filter((field) => field !== name);
  return { name, decode: (sent) => names.filter((field) => sent[field] !== undefined && sent[field] !== null) };
}

/** What the generated code needs in place of a value that was not sent. */
function absentOf(field: DescField): () => unknown {
  if (field.fieldKind === "list") return () => [];
  if (field.fieldKind === "map") return () => ({});
  if (field.fieldKind === "message" || field.proto.proto3Optional) return () => undefined;
  if (field.fieldKind === "enum") {
    const zero = field.enum.values[0]?.name;
    return () => zero;
  }
  const zero = { [ScalarType.STRING]: "", [ScalarType.BOOL]: false }[Number(field.scalar)] ?? 0;
  return () => zero;
}

function converterOf(field: DescField, compile: Compile): Convert {
  const convert = singleConverter(field, compile);
  if (field.fieldKind === "list") {
    // Checked: it is a list.
    return (values) => (values as readonly unknown[]).map(convert);
  }
  if (field.fieldKind !== "map") return convert;
  return (entries) => {
    // Without a prototype `__proto__` is a key like any other.
    const decoded: Record<string, unknown> = Object.create(null);
    // Checked: it is an object.
    for (const [key, value] of Object.entries(entries as object)) decoded[key] = convert(value);
    return decoded;
  };
}

/** How one value, element or entry is converted. */
function singleConverter(field: DescField, compile: Compile): Convert {
  if (field.enum !== undefined) {
    const names = new Map<unknown, string>(field.enum.values.map((value) => [wordOf(value), value.name]));
    return (word) => names.get(word);
  }
  if (field.message !== undefined) return messageConverter(field.message, compile);
  if (rulesOf(field).format === "FORMAT_JSON_OBJECT") return (object) => JSON.stringify(object);
  const convert = field.scalar === undefined ? undefined : SCALARS.get(field.scalar);
  if (convert === undefined) throw new Error(`${field.toString()}: requests hold string, bool, int32 and double`);
  return convert;
}

const SCALARS: ReadonlyMap<ScalarType, Convert> = new Map<ScalarType, Convert>([
  [ScalarType.STRING, (text) => text],
  [ScalarType.BOOL, readBoolean],
  [ScalarType.INT32, readInteger],
  [ScalarType.DOUBLE, readNumber],
]);

function messageConverter(message: DescMessage, compile: Compile): Convert {
  if (message.typeName === "google.protobuf.Timestamp") return (text) => readDateTime(String(text));
  if (message.typeName.startsWith("google.protobuf.")) throw new Error(`no request can hold a ${message.typeName}`);
  const [inner] = message.fields;
  if (inner !== undefined && messageRulesOf(message).transparent) {
    const convert = converterOf(inner, compile);
    return (value) => ({ [inner.name]: convert(value) });
  }
  const decode = compile(message);
  // Checked: it is an object.
  return (value) => decode(value as Readonly<Record<string, unknown>>);
}

/** A leap second, which JavaScript does not know, is the first moment of the next minute. */
function readDateTime(text: string): Date {
  const isLeapSecond = text.slice(17, 19) === "60";
  const time = new Date((isLeapSecond ? `${text.slice(0, 17)}59${text.slice(19)}` : text).toUpperCase());
  return isLeapSecond ? new Date(time.getTime() + 1_000) : time;
}
