/** What `proto/generate` writes: JSON Schemas of what every rpc takes and answers, and what its comments say. */
export interface Schemas {
  readonly services: Readonly<Record<string, string>>;
  readonly methods: Readonly<Record<string, string>>;
  readonly requests: Readonly<Record<string, MessageSchema>>;
  readonly responses: Readonly<Record<string, MessageSchema>>;
}

/** The schema of one message. */
export interface MessageSchema {
  readonly type: "object";
  readonly description: string;
  readonly properties: Readonly<Record<string, ValueSchema>>;
  readonly required: readonly string[];
  readonly discriminator?: { readonly propertyName: string };
  readonly "x-only-with"?: readonly OnlyWith[];
  readonly "x-exactly-one"?: readonly ExactlyOne[];
}

/** The schema of one field, element or entry. */
export interface ValueSchema {
  readonly $ref?: string;
  readonly anyOf?: readonly ValueSchema[];
  readonly type?: JsonType | readonly JsonType[];
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly (string | null)[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: ValueSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly propertyNames?: ValueSchema;
  readonly additionalProperties?: ValueSchema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly "x-secret"?: true;
  /** An object of any JSON, which services get as its text. */
  readonly "x-json"?: true;
}

/** A property that goes only with these words of its decider, and always with them. */
export interface OnlyWith {
  readonly property: string;
  readonly decider: string;
  readonly words: readonly string[];
  readonly text: string;
}

/** Exactly one of `fields` is given; one of `or` may be given instead. */
export interface ExactlyOne {
  readonly fields: readonly string[];
  readonly or: readonly string[];
  readonly text: string;
}

export type JsonType = "null" | "string" | "integer" | "number" | "boolean" | "array" | "object";

/** The kind of a value beside null. */
export function typeOf(schema: ValueSchema): JsonType | undefined {
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  return types.find((type) => type !== "null");
}

export function isNullable(schema: ValueSchema): boolean {
  return schema.type === "null" || !!schema.type?.includes("null") || !!schema.anyOf?.some(isNullable);
}

/** The name of the message that a field holds. */
export function messageNameOf(schema: ValueSchema): string | undefined {
  const reference = schema.$ref ?? schema.anyOf?.find((one) => one.$ref !== undefined)?.$ref;
  return reference?.slice(reference.lastIndexOf("/") + 1);
}

/** The words of an enum. */
export function wordsOf(schema: ValueSchema): readonly string[] {
  return (schema.enum ?? []).filter((word) => word !== null);
}

/** The names of all request fields that hold secrets. */
export function secretNames(schemas: Schemas): readonly string[] {
  const messages = Object.values(schemas.requests);
  return messages.flatMap(({ properties }) =>
    Object.entries(properties).flatMap(([name, field]) => (field["x-secret"] ? [name] : [])),
  );
}
