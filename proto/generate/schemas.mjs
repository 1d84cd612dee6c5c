import { ScalarType } from "@bufbuild/protobuf";
import { commentOf } from "./comment.mjs";
import { messageRulesOf, rulesOf, wordsOf } from "./rules.mjs";

/** @typedef {import("@bufbuild/protobuf").DescMessage} DescMessage */
/** @typedef {import("@bufbuild/protobuf").DescField} DescField */
/** @typedef {import("@bufbuild/protobuf").FileRegistry} FileRegistry */

const INT32 = { least: -(2 ** 31), most: 2 ** 31 - 1 };
/** No list of a request is longer, unless its own rule says so. */
const LIST_MOST = 200;
/** `FORMAT_JSON_OBJECT` of the rules. */
const JSON_OBJECT = 3;

/**
 * Requests and responses have schemas of their own: a request leaves out what is optional, a response shows all.
 * @param {FileRegistry} registry
 */
export function schemasOf(registry) {
  const methods = [...registry].filter((type) => type.kind === "service").flatMap((service) => service.methods);
  const own = methods.filter((method) => method.parent.typeName.startsWith("assistant."));
  // What streams both ways is bytes and what goes with them, never JSON.
  const shown = own.filter((method) => method.methodKind !== "bidi_streaming");
  return {
    services: Object.fromEntries(own.map(({ parent }) => [parent.typeName, commentOf(parent)])),
    methods: Object.fromEntries(own.map((method) => [`${method.parent.typeName}.${method.name}`, commentOf(method)])),
    requests: all(
      shown.map((method) => method.input),
      (message) => requestOf(registry, message),
    ),
    responses: all(
      shown.map((method) => method.output),
      (message) => responseOf(registry, message),
    ),
  };
}

/**
 * Schemas of these messages and all within them, by name.
 * @param {DescMessage[]} roots
 * @param {(message: DescMessage) => object} schemaOf
 */
function all(roots, schemaOf) {
  const found = new Map();
  const waiting = [...roots];
  for (let message = waiting.pop(); message !== undefined; message = waiting.pop()) {
    if (found.has(message.typeName) || isWellKnown(message)) continue;
    found.set(message.typeName, schemaOf(message));
    waiting.push(...message.fields.flatMap((field) => field.message ?? []));
  }
  return Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** @param {FileRegistry} registry @param {DescMessage} message */
function requestOf(registry, message) {
  const fields = message.fields.filter((field) => !rulesOf(registry, field)?.hidden);
  const rules = messageRulesOf(registry, message);
  const ties = fields.flatMap((field) => tieOf(field, rulesOf(registry, field)?.onlyWith) ?? []);
  const choices = (rules?.exactlyOne ?? []).map(({ fields: names, or, text }) => ({ fields: names, or, text }));
  return {
    type: "object",
    description: commentOf(message),
    properties: Object.fromEntries(fields.map((field) => [field.name, requestField(registry, field)])),
    required: fields.filter((field) => rulesOf(registry, field)?.required).map((field) => field.name),
    ...(rules?.discriminator ? { discriminator: { propertyName: rules.discriminator } } : {}),
    ...(ties.length > 0 ? { "x-only-with": ties } : {}),
    ...(choices.length > 0 ? { "x-exactly-one": choices } : {}),
  };
}

/** @param {DescField} field @param {any} tie */
function tieOf(field, tie) {
  return tie && { property: field.name, decider: tie.field, words: tie.words, text: tie.text };
}

/** @param {FileRegistry} registry @param {DescField} field */
function requestField(registry, field) {
  const rules = rulesOf(registry, field);
  const shape = shapeOf(registry, field, rules, "requests");
  const isNullable = !rules?.required && !rules?.notNull;
  return { ...(isNullable ? nullable(shape) : shape), ...noteOf(field, rules) };
}

/** @param {FileRegistry} registry @param {DescMessage} message */
function responseOf(registry, message) {
  const fields = message.fields.filter((field) => !rulesOf(registry, field)?.hidden);
  return {
    type: "object",
    description: commentOf(message),
    properties: Object.fromEntries(fields.map((field) => [field.name, responseField(registry, field)])),
    required: fields.map((field) => field.name),
  };
}

/** @param {FileRegistry} registry @param {DescField} field */
function responseField(registry, field) {
  const rules = rulesOf(registry, field);
  const shape = shapeOf(registry, field, undefined, "responses");
  // Only what the proto calls optional may be null; other messages are always there.
  const isNullable = field.proto.proto3Optional;
  return { ...(isNullable ? nullable(shape) : shape), ...noteOf(field, rules) };
}

/** @param {DescField} field @param {any} rules */
function noteOf(field, rules) {
  return {
    description: commentOf(field),
    ...(rules?.default ? { default: JSON.parse(rules.default) } : {}),
    ...(rules?.example ? { examples: [JSON.parse(rules.example)] } : {}),
    ...(rules?.secret ? { "x-secret": true } : {}),
  };
}

/** @param {any} shape */
function nullable(shape) {
  if (shape.$ref !== undefined) return { anyOf: [shape, { type: "null" }] };
  return { ...shape, type: [shape.type, "null"], ...(shape.enum ? { enum: [...shape.enum, null] } : {}) };
}

/** @param {FileRegistry} registry @param {DescField} field @param {any} rules @param {string} section */
function shapeOf(registry, field, rules, section) {
  if (field.fieldKind === "list") {
    const most = rules?.maxLength ?? (section === "requests" ? LIST_MOST : undefined);
    const items = singleOf(registry, field, rules?.items, section);
    return defined({ type: "array", items, minItems: rules?.minLength, maxItems: most });
  }
  if (field.fieldKind === "map") {
    const keys = keysOf(registry, field, section);
    const values = singleOf(registry, field, rules?.items, section);
    const lengths = { minProperties: rules?.minLength, maxProperties: rules?.maxLength };
    return defined({ type: "object", propertyNames: keys, additionalProperties: values, ...lengths });
  }
  return singleOf(registry, field, rules, section);
}

/** @param {FileRegistry} registry @param {DescField} field @param {string} section */
function keysOf(registry, field, section) {
  const name = rulesOf(registry, field)?.keys;
  if (!name) return section === "requests" ? { type: "string", maxLength: 200 } : { type: "string" };
  const keys = registry.getEnum(name);
  if (keys === undefined) throw new Error(`${field.toString()}: no enum ${name}`);
  return { type: "string", enum: wordsOf(registry, keys) };
}

/**
 * One value: of a field, of an element, of a map's entry.
 * @param {FileRegistry} registry
 * @param {DescField} field
 * @param {any} rules
 * @param {string} section
 */
function singleOf(registry, field, rules, section) {
  if (field.enum) return { type: "string", enum: wordsOf(registry, field.enum) };
  if (field.message) return messageOf(registry, field.message, section);
  const { scalar } = field;
  if (scalar === ScalarType.STRING && rules?.format === JSON_OBJECT) return { type: "object", "x-json": true };
  if (scalar === ScalarType.STRING) return defined({ type: "string", ...textRulesOf(rules) });
  if (scalar === ScalarType.BOOL) return { type: "boolean" };
  if (scalar === ScalarType.DOUBLE) return defined({ type: "number", minimum: rules?.ge, maximum: rules?.le });
  if (scalar === ScalarType.INT32 && section === "responses") return { type: "integer" };
  if (scalar === ScalarType.INT32) {
    return { type: "integer", minimum: rules?.ge ?? INT32.least, maximum: rules?.le ?? INT32.most };
  }
  // Rows that answer files show them as they are.
  if (scalar === ScalarType.BYTES && section === "responses") return { type: "string", contentEncoding: "base64" };
  // int64 does not fit JSON, the rest is for wires.
  throw new Error(`${field.toString()}: only string, bool, double, int32`);
}

/** @param {FileRegistry} registry @param {DescMessage} message @param {string} section */
function messageOf(registry, message, section) {
  if (message.typeName === "google.protobuf.Timestamp") return { type: "string", format: "date-time" };
  if (isWellKnown(message)) return {};
  const [inner] = message.fields;
  if (messageRulesOf(registry, message)?.transparent && inner) {
    return shapeOf(registry, inner, section === "requests" ? rulesOf(registry, inner) : undefined, section);
  }
  return { $ref: `#/${section}/${message.typeName}` };
}

/** @param {any} rules */
function textRulesOf(rules) {
  const format = [undefined, "date-time", "uri"][rules?.format ?? 0];
  return { minLength: rules?.minLength, maxLength: rules?.maxLength, pattern: rules?.pattern || undefined, format };
}

/** @param {DescMessage} message */
function isWellKnown(message) {
  return message.typeName.startsWith("google.protobuf.");
}

/** @param {Record<string, unknown>} schema */
function defined(schema) {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}
