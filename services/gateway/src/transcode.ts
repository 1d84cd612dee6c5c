import { violation } from "@assistant/kit/rules/violation.js";
import type { Call } from "@assistant/kit/wire/call.js";
import type { Peer } from "@assistant/kit/wire/dial.js";
import { answerJson } from "./answer.js";
import { readBasic } from "./basic.js";
import { checkKind, checkLength, hasBody, isForm, isMeasured, readBody } from "./body.js";
import type { Exchange } from "./exchange.js";
import { createFileAnswer } from "./file-answer.js";
import { isStrict, readIdempotencyKey, readIfMatch, readIfNoneMatch } from "./headers.js";
import { type Json, readJson } from "./json.js";
import type { Operation } from "./operation.js";
import { createCall } from "./outgoing-call.js";
import { queryOf } from "./query.js";
import { type Located, refusalFor } from "./refusal.js";
import type { Pace, Route } from "./route.js";
import type { SentRequest } from "./sent-request.js";

/** What Express found in the path. */
export type Parameters = Readonly<Record<string, string>>;

/** Reads the request of an operation up to what its rules are checked on: 413, 415, 400. */
export async function receive(
  operation: Operation,
  { request, response }: Exchange,
  parameters: Parameters,
): Promise<SentRequest> {
  const { headers, url } = request;
  return {
    parameters,
    query: queryOf(url),
    body: operation.shape.body && (await receiveBody(operation.route, { request, response })),
    headers,
    isStrict: isStrict(headers["prefer"]),
  };
}

/** Calls the service that owns the operation and answers what it says. */
export async function forward(operation: Operation, peer: Peer, exchange: Exchange, sent: SentRequest): Promise<void> {
  const { route } = operation;
  // Headers come before the rules of fields: 400 before 422.
  const isKnown = knownOf(operation, exchange);
  const answerFile = route.file && createFileAnswer(operation, route.file, exchange);
  const call = callOf(operation, exchange);
  const message = messageOf(operation, exchange, sent);
  const response = await peer.call(route.rpc, message, call);
  if (answerFile !== undefined) {
    announce(operation, exchange, call, sent.isStrict);
    answerFile(response);
    return;
  }
  const value = operation.present(response);
  announce(operation, exchange, call, sent.isStrict);
  if (route.cookie) leaveCookie(exchange, response);
  if (isKnown(call)) {
    exchange.response.writeHead(304).end();
    return;
  }
  // Both are objects with the fields that `route` lets stand in a location; those of the answer come first.
  const fields = { ...message, ...(value as object) } as Readonly<Record<string, unknown>>;
  if (route.location !== undefined) exchange.response.setHeader("Location", fill(route.location, fields));
  answerJson(exchange.response, route.status, value);
}

/** The request as it was sent, with what a row takes from headers. */
function messageOf({ route, read }: Operation, { request }: Exchange, sent: SentRequest): object {
  const { authorization, cookie, origin } = request.headers;
  const message = read(sent);
  return {
    ...message,
    ...(route.basic ? readBasic(authorization, message) : {}),
    // What a browser adds by itself.
    ...(route.cookie ? { refresh_cookie: cookie, origin } : {}),
  };
}

const PACE_MS: Readonly<Record<Pace, number>> = { read: 5_000, write: 10_000 };

function callOf({ route, isRepeatable, takesKey }: Operation, exchange: Exchange): Call {
  const { headers } = exchange.request;
  const isConditional = route.versioned && CHANGES.has(route.method);
  const ifMatch = isConditional ? readIfMatch(headers["if-match"]) : undefined;
  const idempotencyKey = takesKey ? readIdempotencyKey(headers["idempotency-key"]) : undefined;
  const deadlineMs = Date.now() + PACE_MS[route.deadline ?? (isRepeatable ? "read" : "write")];
  return {
    ...createCall(exchange, route.rpc.path, deadlineMs),
    ...(ifMatch === undefined ? {} : { ifMatch }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

function leaveCookie({ response }: Exchange, answer: object): void {
  if ("set_cookie" in answer && typeof answer.set_cookie === "string") {
    response.setHeader("Set-Cookie", answer.set_cookie);
  }
}

const CHANGES = new Set(["put", "patch", "delete"]);

async function receiveBody(
  route: Route,
  { request, response }: Pick<Exchange, "request" | "response">,
): Promise<Json | Located> {
  if (!hasBody(request)) return NO_BODY;
  checkLength(request);
  // Of a body that comes in chunks only its end tells whether there is one.
  if (isMeasured(request)) checkKind(request, route.form);
  const bytes = await readBody(request, response);
  if (bytes.length === 0) return NO_BODY;
  checkKind(request, route.form);
  return route.form && isForm(request.headers["content-type"]) ? readForm(bytes) : readJson(bytes);
}

const NO_BODY: Json = { value: undefined, text: "" };

/** Throws a Refusal where a field comes twice: who reads the first and who reads the last would disagree (RFC 6749, 3.2). */
function readForm(bytes: Buffer): Json {
  const fields = [...new URLSearchParams(bytes.toString())];
  const value = Object.fromEntries(fields);
  if (Object.keys(value).length === fields.length) return { value, text: "" };
  const twice = violation(["body"], "bad_request", "There was an error parsing the body", { reason: "form" });
  throw refusalFor(400, { ...twice, input: null });
}

function announce({ route }: Operation, { response }: Exchange, { reply }: Call, strict: boolean): void {
  if (route.versioned && reply.version !== undefined && route.method !== "delete") {
    response.setHeader("ETag", `"${reply.version}"`);
  }
  if (reply.replayed) response.setHeader("Idempotency-Replayed", "true");
  if (strict) response.setHeader("Preference-Applied", "handling=strict");
  response.setHeader("Cache-Control", cacheControl(route));
}

/** Whether the client says that it has what is answered to a call already. */
function knownOf({ route }: Operation, { request }: Exchange): (call: Call) => boolean {
  if (route.method !== "get" || !route.versioned) return () => false;
  const isKnown = readIfNoneMatch(request.headers["if-none-match"]);
  return ({ reply }) => reply.version !== undefined && isKnown(reply.version);
}

/** What has an ETag may be kept by the client alone, and only to ask whether it still holds. */
function cacheControl({ cache, method, versioned }: Route): string {
  return cache ?? (method === "get" && versioned ? "private, no-cache" : "no-store");
}

function fill(location: string, fields: Readonly<Record<string, unknown>>): string {
  return location.replaceAll(/\{([a-z0-9_]+)\}/g, (_, name: string) => encodeURIComponent(String(fields[name])));
}
