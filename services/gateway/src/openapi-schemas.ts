import { isNullable, type MessageSchema, type Schemas, type ValueSchema } from "./schema.js";

/** The schemas of the document, collected while operations refer to them. */
export interface DocumentSchemas {
  /** Of what a request's body or parameter holds. */
  ofRequest(schema: ValueSchema): object;
  /** Of a body that holds fields of a message of this name. */
  ofBody(messageName: string, schema: MessageSchema): object;
  /** `isSparse`: what has no value is left out of it. */
  ofResponse(messageName: string, isSparse?: boolean): object;
  ofField(schema: ValueSchema): object;
  /** All that were referred to. */
  components(): Readonly<Record<string, object>>;
}

export function createDocumentSchemas(schemas: Schemas): DocumentSchemas {
  const collected = new Map<string, object>(Object.entries(ERRORS));
  const refer = (name: string, make: () => object): object => {
    if (!collected.has(name)) {
      // Taken before it is made, since a message may hold itself.
      collected.set(name, {});
      collected.set(name, make());
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  const message = (reference: string, isSparse = false): object => {
    const [, section, name = ""] = reference.split("/");
    const found = section === "requests" ? schemas.requests[name] : schemas.responses[name];
    if (found === undefined) throw new Error(`there is no schema ${reference}`);
    const schema = isSparse ? sparse(found) : found;
    return refer(documentName(schemas, section, name), () => messageSchema(schema, convert));
  };
  const convert = (schema: ValueSchema): object => {
    if (schema.$ref === undefined) return valueSchema(schema, convert);
    const { $ref, ...beside } = schema;
    return { ...message($ref), ...beside };
  };
  return {
    ofRequest: convert,
    ofField: convert,
    ofBody: (name, schema) => refer(shortName(name), () => messageSchema(schema, convert)),
    ofResponse: (name, isSparse) => message(`#/responses/${name}`, isSparse),
    components: () => Object.fromEntries([...collected].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

function sparse(schema: MessageSchema): MessageSchema {
  const nullable = Object.entries(schema.properties).flatMap(([name, field]) => (isNullable(field) ? [name] : []));
  return { ...schema, required: schema.required.filter((name) => !nullable.includes(name)) };
}

/** A message that requests and responses show differently has two schemas. */
function documentName(schemas: Schemas, section: string | undefined, name: string): string {
  const isBoth = section === "requests" && schemas.responses[name] !== undefined;
  return isBoth ? `${shortName(name)}Input` : shortName(name);
}

function shortName(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

function messageSchema(schema: MessageSchema, convert: (field: ValueSchema) => object): object {
  const { properties, required, discriminator, ...rest } = schema;
  const { "x-only-with": ties = [], "x-exactly-one": choices = [], ...plain } = rest;
  const rules = [...ties, ...choices].map(({ text }) => `${text}.`);
  const fields = Object.entries(properties).map(([name, field]) => [name, convert(field)]);
  const variant = discriminator ? [`\`${discriminator.propertyName}\` names the variant.`] : [];
  return {
    ...plain,
    description: [schema.description, ...rules, ...variant].join(" "),
    properties: Object.fromEntries(fields),
    ...(required.length > 0 ? { required } : {}),
  };
}

function valueSchema(schema: ValueSchema, convert: (inner: ValueSchema) => object): object {
  const { "x-secret": secret, "x-json": _, items, additionalProperties, anyOf, ...plain } = schema;
  return {
    ...plain,
    ...(items ? { items: convert(items) } : {}),
    ...(additionalProperties ? { additionalProperties: convert(additionalProperties) } : {}),
    ...(anyOf ? { anyOf: anyOf.map((one) => (isNullable(one) ? one : convert(one))) } : {}),
    ...(secret ? { format: "password" } : {}),
  };
}

const ERRORS = {
  Problem: {
    type: "object",
    description: "What went wrong.",
    properties: { detail: { type: "array", items: { $ref: "#/components/schemas/ProblemDetail" } } },
    required: ["detail"],
  },
  ProblemDetail: {
    type: "object",
    description: "One thing that is wrong.",
    properties: {
      type: { type: "string", description: "Stable name of the rule, for programs.", examples: ["string_too_long"] },
      loc: {
        type: "array",
        items: { type: "string" },
        description: "Path to the offending input: where it was sent, then names and indexes.",
        examples: [["body", "title"]],
      },
      msg: { type: "string", description: "One sentence, for people." },
      input: { description: "What was sent there, as far as it may be shown." },
      ctx: { type: "object", description: "The bounds and words of the rule." },
    },
    required: ["type", "loc", "msg", "input", "ctx"],
  },
  TokenProblem: {
    type: "object",
    description: "Why no token was issued: the names of RFC 6749 beside the usual body.",
    properties: {
      error: { type: "string", description: "Name of RFC 6749.", examples: ["invalid_client"] },
      error_description: { type: "string", description: "One sentence, for people." },
      detail: { type: "array", items: { $ref: "#/components/schemas/ProblemDetail" } },
    },
    required: ["error", "error_description", "detail"],
  },
} as const;
