import { exampleOf } from "./openapi-example.js";
import type { DocumentSchemas } from "./openapi-schemas.js";
import { tagOf } from "./openapi-tags.js";
import type { Operation } from "./operation.js";
import type { MessageSchema, Schemas, ValueSchema } from "./schema.js";
import type { AnyOperation } from "./upload-operation.js";

/** One operation of the document. */
export function documentOperation(operation: Operation, schemas: Schemas, documented: DocumentSchemas): object {
  const { route } = operation;
  const { operationId, summary, ...about } = aboutOf(operation, schemas);
  return {
    ...about,
    operationId: `${operationId}${route.alias ? "Alias" : ""}`,
    summary,
    ...(route.alias ? { description: `${summary}. The bytes alone, for those who have no token.` } : {}),
    ...(route.open ? { security: [] } : {}),
    parameters: parametersOf(operation, documented),
    ...requestBody(operation, schemas, documented),
    responses: { ...success(operation, schemas, documented), ...failures(operation) },
  };
}

/** What an operation is called, and what it does. */
export function aboutOf(operation: AnyOperation, schemas: Schemas) {
  const { name, parent } = operation.method;
  const description = schemas.methods[`${parent.typeName}.${name}`] ?? "";
  const [summary = ""] = description.split(/\.(?:\s|$)|;/);
  return {
    operationId: `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
    tags: [tagOf(operation)],
    summary,
    description,
  };
}

function parametersOf(operation: Operation, documented: DocumentSchemas): object[] {
  const { route, shape, takesKey } = operation;
  const isChange = route.method === "put" || route.method === "patch" || route.method === "delete";
  return [
    ...fieldParameters("path", shape.path, documented),
    ...fieldParameters("query", shape.query, documented),
    ...(takesKey ? [headerParameter("IdempotencyKey")] : []),
    ...(route.versioned && isChange ? [headerParameter("IfMatch")] : []),
    ...((route.versioned || route.file) && route.method === "get" ? [headerParameter("IfNoneMatch")] : []),
    headerParameter("Prefer"),
    headerParameter("RequestId"),
  ];
}

export function headerParameter(name: string): object {
  return { $ref: `#/components/parameters/${name}` };
}

function fieldParameters(place: "path" | "query", schema: MessageSchema, documented: DocumentSchemas): object[] {
  return Object.entries(schema.properties).map(([name, field]) => {
    const { description, examples, ...rest } = field;
    const required = place === "path" || schema.required.includes(name);
    // The reference page would send the example of a filter that nobody asked for.
    const [example] = required ? (examples ?? []) : [];
    return {
      name,
      in: place,
      required,
      description,
      // A parameter that is left out is not null.
      schema: documented.ofRequest(withoutNull(rest)),
      ...(example === undefined ? {} : { example }),
    };
  });
}

function withoutNull(schema: ValueSchema): ValueSchema {
  const { type, enum: words } = schema;
  return {
    ...schema,
    ...(typeof type === "object" && { type: type.filter((one) => one !== "null") }),
    ...(words !== undefined && { enum: words.filter((word) => word !== null) }),
  };
}

function requestBody({ route, method, shape }: Operation, schemas: Schemas, documented: DocumentSchemas): object {
  if (shape.body === undefined) return {};
  const { schema } = shape.body;
  const content =
    "required" in schema
      ? { schema: documented.ofBody(method.input.typeName, schema), example: exampleOf(schema, schemas) }
      : { schema: documented.ofRequest(schema) };
  const form = route.form ? { "application/x-www-form-urlencoded": content } : {};
  // The reference page begins with the first, and of a form it would fill in every field.
  return { requestBody: { required: true, content: { "application/json": content, ...form } } };
}

function success({ route, method, takesKey }: Operation, schemas: Schemas, documented: DocumentSchemas): object {
  const field = schemas.responses[method.output.typeName]?.properties[route.respond];
  const isTagged = (route.versioned && route.method !== "delete") || route.file !== undefined;
  const sent = {
    ...header("X-Request-Id", "RequestId"),
    ...header("RateLimit", "RateLimit"),
    ...header("RateLimit-Policy", "RateLimitPolicy"),
    ...(isTagged ? header("ETag", "ETag") : {}),
    ...(route.location ? header("Location", "Location") : {}),
    ...(takesKey ? header("Idempotency-Replayed", "IdempotencyReplayed") : {}),
  };
  const description = field?.description ?? schemas.responses[method.output.typeName]?.description;
  const kept =
    isTagged && route.method === "get" ? { 304: { description: "Nothing has changed.", headers: sent } } : {};
  const schema = () =>
    field === undefined ? documented.ofResponse(method.output.typeName, route.form) : documented.ofField(field);
  const json = route.file === undefined || route.file.hasJson ? { "application/json": { schema: schema() } } : {};
  const content = { ...json, ...bytes(route.file?.media ?? []) };
  return { [route.status]: { description, headers: sent, content }, ...kept };
}

/** Bytes have no schema (OpenAPI 3.1, 4.8.14.3). */
export function bytes(media: readonly string[]): object {
  return Object.fromEntries(media.map((mediaType) => [mediaType, {}]));
}

export function header(name: string, component: string): object {
  return { [name]: { $ref: `#/components/headers/${component}` } };
}

function failures(operation: Operation): object {
  const { route, shape, isRepeatable } = operation;
  const isChange = route.method === "put" || route.method === "patch" || route.method === "delete";
  if (route.form) return { ...tokenFailures, ...always };
  return {
    ...(route.open
      ? {}
      : { 400: refer("BadRequest"), 401: refer("Unauthenticated"), 403: refer("Forbidden"), 404: refer("NotFound") }),
    ...(isRepeatable ? {} : { 409: refer("Conflict") }),
    ...(route.versioned && isChange ? { 412: refer("PreconditionFailed") } : {}),
    ...(shape.body ? { 413: refer("PayloadTooLarge"), 415: refer("UnsupportedMediaType") } : {}),
    422: refer("ValidationError"),
    ...always,
  };
}

export function refer(name: string): object {
  return { $ref: `#/components/responses/${name}` };
}

const tokenFailures = { 400: refer("TokenRefused"), 401: refer("ClientRefused"), 413: refer("PayloadTooLarge") };

export const always = {
  429: refer("RateLimited"),
  500: refer("Internal"),
  502: refer("BadGateway"),
  503: refer("Unavailable"),
  504: refer("GatewayTimeout"),
};
