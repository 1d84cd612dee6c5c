import type { DescMessage } from "@bufbuild/protobuf";
import type { Route } from "./route.js";
import type { MessageSchema, Schemas, ValueSchema } from "./schema.js";

/** Which parts of a request fill which fields of the message. */
export interface Shape {
  readonly path: MessageSchema;
  readonly query: MessageSchema;
  /** Undefined: no body is read. */
  readonly body: Body | undefined;
}

interface Body {
  /** The one field that the body fills; undefined: it holds all that are left. */
  readonly field: string | undefined;
  readonly schema: MessageSchema | ValueSchema;
}

/** Splits the fields of a row's request between path, body and query. */
export function shapeOf(route: Route, request: DescMessage, schemas: Schemas): Shape {
  const whole = schemas.requests[request.typeName];
  if (whole === undefined) throw new Error(`there is no schema of ${request.typeName}`);
  const inPath = parametersOf(route.path);
  const left = Object.keys(whole.properties).filter((name) => !inPath.includes(name));
  const inQuery = left.filter((name) => route.body === undefined || (route.body !== "*" && route.body !== name));
  return { path: only(whole, inPath), query: only(whole, inQuery), body: bodyOf(route, whole, left) };
}

/** The names in braces of a path. */
export function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{([a-z0-9_]+)\}/g)].flatMap(([, name]) => name ?? []);
}

function bodyOf({ body, path }: Route, whole: MessageSchema, left: readonly string[]): Body | undefined {
  if (body === undefined) return undefined;
  if (body === "*") return { field: undefined, schema: only(whole, left) };
  const schema = whole.properties[body];
  if (schema === undefined) throw new Error(`${path}: the request has no field ${body}`);
  return { field: body, schema };
}

function only(whole: MessageSchema, names: readonly string[]): MessageSchema {
  const { "x-only-with": ties = [], "x-exactly-one": choices = [], discriminator, ...rest } = whole;
  const kept = {
    ties: ties.filter(({ property, decider }) => names.includes(property) && names.includes(decider)),
    choices: choices.filter(({ fields, or }) => [...fields, ...or].every((name) => names.includes(name))),
  };
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(whole.properties).filter(([name]) => names.includes(name))),
    required: whole.required.filter((name) => names.includes(name)),
    ...(discriminator && names.includes(discriminator.propertyName) ? { discriminator } : {}),
    ...(kept.ties.length > 0 ? { "x-only-with": kept.ties } : {}),
    ...(kept.choices.length > 0 ? { "x-exactly-one": kept.choices } : {}),
  };
}
