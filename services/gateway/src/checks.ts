import { Ajv, type AnySchemaObject, type ValidateFunction } from "ajv";
import { addKeywords, type Entries, type Sizes, type Variant } from "./keywords.js";
import {
  isNullable,
  type MessageSchema,
  messageNameOf,
  type Schemas,
  typeOf,
  type ValueSchema,
  wordsOf,
} from "./schema.js";

/** Compiles schemas of requests into functions of ajv that take values as generously as the contract says. */
export interface Checks {
  /** `onlyKnown`: what no property names is wrong too. */
  ofMessage(schema: MessageSchema, onlyKnown: boolean): ValidateFunction;
  ofValue(schema: ValueSchema, onlyKnown: boolean): ValidateFunction;
}

export function createChecks(schemas: Schemas): Checks {
  const [open, closed] = [compilerOf(schemas, false), compilerOf(schemas, true)];
  const pick = (onlyKnown: boolean) => (onlyKnown ? closed : open);
  return {
    ofMessage: (schema, onlyKnown) => pick(onlyKnown).compile(messageForm(schema, onlyKnown)),
    ofValue: (schema, onlyKnown) => pick(onlyKnown).compile(valueForm(schema)),
  };
}

function compilerOf(schemas: Schemas, onlyKnown: boolean): Ajv {
  // A key such as `toString` is not there only because every object inherits it.
  const ajv = new Ajv({ allErrors: true, verbose: true, strict: false, ownProperties: true });
  addKeywords(ajv);
  for (const [name, schema] of Object.entries(schemas.requests)) {
    ajv.addSchema({ $id: name, ...messageForm(schema, onlyKnown) });
  }
  return ajv;
}

function messageForm(schema: MessageSchema, onlyKnown: boolean): AnySchemaObject {
  const { properties, required } = schema;
  return {
    // Whether null is taken is the business of the field that refers to the message.
    record: { nullable: true },
    ...variantForm(schema),
    required: [...required],
    properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, valueForm(field)])),
    ...(onlyKnown ? { onlyKnown: Object.keys(properties) } : {}),
    ...(schema["x-only-with"] ? { onlyWith: schema["x-only-with"] } : {}),
    ...(schema["x-exactly-one"] ? { exactlyOne: schema["x-exactly-one"] } : {}),
  };
}

function variantForm({ discriminator, properties }: MessageSchema): { variant?: Variant } {
  if (discriminator === undefined) return {};
  const { propertyName: name } = discriminator;
  const words = wordsOf(properties[name] ?? {});
  if (words.length === 0) throw new Error(`the discriminator ${name} is no enum of its message`);
  return { variant: { name, words } };
}

function valueForm(schema: ValueSchema): AnySchemaObject {
  const nullable = isNullable(schema);
  if (schema["x-json"]) return { jsonObject: { nullable } };
  const message = messageNameOf(schema);
  if (message !== undefined) return { record: { nullable }, $ref: message };
  const type = typeOf(schema);
  if (type === "array") return listForm(schema, nullable);
  return type === "object" ? { dictionary: dictionaryForm(schema, nullable) } : { scalar: schema };
}

function listForm({ minItems, maxItems, items }: ValueSchema, nullable: boolean): AnySchemaObject {
  if (items === undefined || maxItems === undefined) throw new Error("a list of a request has items and a most");
  const list: Sizes = { nullable, least: minItems, most: maxItems };
  // The elements of a list that is too long are not looked at.
  return { list, anyOf: [{ not: { maxItems } }, { items: valueForm(items) }] };
}

function dictionaryForm(schema: ValueSchema, nullable: boolean): Entries {
  const { propertyNames: keys, additionalProperties: values, minProperties: least, maxProperties: most } = schema;
  if (keys === undefined || values === undefined) throw new Error("a map of a request has keys and values");
  return { nullable, least, most, keys, values };
}
