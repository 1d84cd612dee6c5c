import { isRepeatable, methodDescriptor } from "@assistant/kit/rules/descriptor.js";
import { missing } from "@assistant/kit/wire/fault.js";
import type { DescMethod } from "@bufbuild/protobuf";
import { createDecode } from "./decode.js";
import { createEncode, createFieldEncode, type Encode } from "./encode.js";
import { readQuery } from "./query.js";
import { refusalFor } from "./refusal.js";
import { createBodyCheck, createLocate, createQueryCheck, failuresOf, type Locate } from "./request-check.js";
import type { Route } from "./route.js";
import type { SentRequest } from "./sent-request.js";
import { type Shape, shapeOf } from "./shape.js";
import type { Workshop } from "./workshop.js";

/** A row of the table, compiled: how its request becomes a message and its response JSON. */
export interface Operation {
  readonly route: Route;
  readonly method: DescMethod;
  readonly shape: Shape;
  /** Whether it changes nothing. */
  readonly isRepeatable: boolean;
  /** Whether it heeds an Idempotency-Key: it creates or triggers something. */
  readonly takesKey: boolean;
  /** The message of a request; throws a Refusal that lists all that is wrong with it, or the Fault missing. */
  read(sent: SentRequest): object;
  /** Where a violation that a service found stands in the request. */
  readonly locate: Locate;
  /** The JSON value of a response; of one that is answered as bytes alone there is none. */
  readonly present: Encode;
}

export function createOperation(route: Route, workshop: Workshop): Operation {
  const method = methodDescriptor(route.rpc.path, workshop.registry);
  const shape = shapeOf(route, method.input, workshop.schemas);
  const repeatable = isRepeatable(method);
  return {
    route,
    method,
    shape,
    isRepeatable: repeatable,
    takesKey: route.method === "post" && !repeatable && !route.form,
    read: createRead(shape, method, workshop),
    locate: createLocate(shape, workshop),
    present: createPresent(route, method),
  };
}

function createPresent(route: Route, { output }: DescMethod): Encode {
  if (route.file !== undefined && !route.file.hasJson) return () => null;
  if (route.form) return withoutNulls(createEncode(output));
  return route.respond === "*" ? createEncode(output) : presentField(createFieldEncode(output, route.respond), route);
}

/** OAuth leaves out what has no value; its clients take null for one (RFC 6749, 5.1; RFC 7662, 2.2). */
function withoutNulls(encode: Encode): Encode {
  return (response) => {
    // A message is encoded as an object.
    const entries = Object.entries(encode(response) as object);
    return Object.fromEntries(entries.filter(([, value]) => value !== null));
  };
}

function presentField(encode: Encode, { respond }: Route): Encode {
  // The generated code decodes a response into an object with its fields.
  return (response) => encode((response as Readonly<Record<string, unknown>>)[respond]);
}

function createRead(shape: Shape, method: DescMethod, workshop: Workshop): Operation["read"] {
  const checkPath = workshop.checks.ofMessage(shape.path, false);
  const checkQuery = createQueryCheck(shape.query, workshop);
  const checkBody = shape.body && createBodyCheck(shape.body.schema, workshop);
  const decode = createDecode(method.input);
  const field = shape.body?.field;
  return ({ parameters, query, body, isStrict }) => {
    const values = readQuery(query, shape.query);
    const wrong = failuresOf(checkQuery(values, isStrict, query), checkBody && body && checkBody(body, isStrict));
    if (wrong.length > 0) throw refusalFor(422, ...wrong);
    // An id of the wrong form names nothing.
    if (!checkPath(parameters)) throw missing();
    const sent = body !== undefined && "value" in body ? body.value : undefined;
    // Checked: without a field of its own the body is an object.
    const fields = field === undefined ? (sent as object | undefined) : { [field]: sent };
    return decode({ ...values, ...fields, ...parameters });
  };
}
