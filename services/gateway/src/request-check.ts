import { cutText, fieldRequired, VIOLATIONS_MAX, type Violation } from "@assistant/kit/rules/violation.js";
import type { ValidateFunction } from "ajv";
import { type ShowInput, shownText } from "./input.js";
import type { Json } from "./json.js";
import type { Place } from "./place.js";
import { readQuery } from "./query.js";
import type { Located } from "./refusal.js";
import type { MessageSchema, ValueSchema } from "./schema.js";
import { createSent, createSentQuery } from "./sent.js";
import type { SentRequest } from "./sent-request.js";
import type { Shape } from "./shape.js";
import { placedViolations } from "./violations.js";
import type { Workshop } from "./workshop.js";

/** What is wrong with one part of a request. */
export interface Failures {
  readonly located: readonly Located[];
  /** What stands only if nothing else is wrong, in no other part either. */
  readonly last: readonly Located[];
}

/** All that is told of what is wrong, part after part. */
export function failuresOf(...parts: readonly (Failures | undefined)[]): readonly Located[] {
  const located = parts.flatMap((part) => part?.located ?? []);
  const all = located.length > 0 ? located : parts.flatMap((part) => part?.last ?? []);
  return all.slice(0, VIOLATIONS_MAX);
}

const NONE: Failures = { located: [], last: [] };

export function createQueryCheck(schema: MessageSchema, workshop: Workshop) {
  const validate = createValidate(schema, workshop);
  return (values: Readonly<Record<string, unknown>>, isStrict: boolean, query: string): Failures => {
    const errors = validate(values, isStrict);
    if (errors === undefined) return NONE;
    const placed = placedViolations(errors, workshop.walk, schema, values, createSentQuery(query));
    return split(placed, "query", workshop.showInput);
  };
}

export function createBodyCheck(schema: MessageSchema | ValueSchema, workshop: Workshop) {
  const validate = createValidate(schema, workshop);
  return (body: Json | Located, isStrict: boolean): Failures => {
    if ("type" in body) return { located: [body], last: [] };
    if (body.value === undefined || body.value === null) {
      return { located: [{ ...fieldRequired(["body"]), input: null }], last: [] };
    }
    const errors = validate(body.value, isStrict);
    if (errors === undefined) return NONE;
    const placed = placedViolations(errors, workshop.walk, schema, body.value, createSent(body.text));
    return split(placed, "body", workshop.showInput);
  };
}

/** Where a violation that a service found stands in the request; its path starts at the message. */
export type Locate = (violation: Violation, sent: SentRequest) => Located;

export function createLocate(shape: Shape, { walk, showInput }: Workshop): Locate {
  return (violation, sent) => {
    const { path } = violation;
    const [first = ""] = path;
    if (first === "header") return { ...violation, input: headerOf(sent, path[1]) };
    if (first in shape.path.properties)
      return locate(violation, walk(shape.path, sent.parameters, path), "path", showInput);
    if (first in shape.query.properties || shape.body === undefined) {
      return locate(violation, walk(shape.query, readQuery(sent.query, shape.query), path), "query", showInput);
    }
    const body = sent.body !== undefined && "value" in sent.body ? sent.body.value : undefined;
    const inside = shape.body.field === undefined ? path : path.slice(1);
    return locate(violation, walk(shape.body.schema, body, inside), "body", showInput);
  };
}

type Part = "path" | "query" | "body";

function locate(violation: Violation, place: Place, part: Part, showInput: ShowInput): Located {
  const loc = [part, ...place.loc.map(shownText)];
  const isMissing = violation.type === "missing";
  const value = isMissing ? place.holder : place.value;
  // A query, unlike a body, is nothing that could be shown as a whole.
  const isWholeQuery = part === "query" && (isMissing || place.loc.length === 0);
  return { ...violation, path: loc, input: isWholeQuery ? null : showInput(value, loc) };
}

function split(placed: ReturnType<typeof placedViolations>, part: Part, showInput: ShowInput): Failures {
  const pick = (isLast: boolean) =>
    placed.flatMap((one) => (one.isLast === isLast ? locate(one.violation, one.place, part, showInput) : []));
  return { located: pick(false), last: pick(true) };
}

function createValidate(schema: MessageSchema | ValueSchema, { checks }: Workshop) {
  const compile = (onlyKnown: boolean): ValidateFunction =>
    "required" in schema ? checks.ofMessage(schema, onlyKnown) : checks.ofValue(schema, onlyKnown);
  const open = compile(false);
  // Few clients ever ask to be strict: compiled for the first that does, not at every start.
  let closed: ValidateFunction | undefined;
  const closedNow = () => {
    closed ??= compile(true);
    return closed;
  };
  return (value: unknown, isStrict: boolean) => {
    const validate = isStrict ? closedNow() : open;
    return validate(value) ? undefined : (validate.errors ?? []);
  };
}

function headerOf({ headers }: SentRequest, name = ""): unknown {
  const value = headers[name];
  return value === undefined ? null : cutText(String(value));
}
