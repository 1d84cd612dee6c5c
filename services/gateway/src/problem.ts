import { cutText, type Violation, violation } from "@assistant/kit/rules/violation.js";
import type { Fault } from "@assistant/kit/wire/fault.js";
import { faultFrom } from "@assistant/kit/wire/fault-wire.js";
import { detailOf, isRefusal, type Located, type Problem } from "./refusal.js";

/** What turning a failure into an answer takes to know of the request. */
export interface ProblemContext {
  readonly requestId: string;
  /** `If-Match` as it was sent. */
  readonly ifMatch: string | undefined;
  /** Whether a client tried to prove itself by HTTP Basic. */
  readonly isBasic?: boolean;
  /** Where a violation that a service found stands in the request. */
  locate(violation: Violation): Located;
}

/** The one place where what went wrong gets its HTTP status and its words. */
export function problemOf(error: unknown, context: ProblemContext): Problem {
  return isRefusal(error) ? error.problem : ofFault(faultFrom(error), context);
}

function ofFault(fault: Fault, context: ProblemContext): Problem {
  const located = fault.violations.map(context.locate);
  switch (fault.kind) {
    case "invalid":
      return ofInvalid(located, context);
    case "unsupported":
      return told(415, located, ["header", "content-type"], "unsupported_media_type", "Unsupported Media Type");
    case "large":
      return told(413, located, ["body"], "payload_too_large", "Payload Too Large");
    case "unauthenticated":
      return unauthenticated(true);
    case "denied":
      return ofDenied(located);
    case "missing":
      return notFound();
    case "conflict":
      return ofConflict(fault.violations, located);
    case "stale":
      return one(412, ["header", "if-match"], "precondition_failed", "Precondition Failed", shown(context.ifMatch));
    case "exhausted":
      return waiting(429, "rate_limited", "Too Many Requests", fault.retryAfterS, {});
    case "unavailable":
      return waiting(503, "unavailable", "Service Unavailable", fault.retryAfterS, { request_id: context.requestId });
    case "late":
      return broken(504, "deadline_exceeded", "Gateway Timeout", context);
    case "upstream":
      return broken(502, "bad_gateway", "Bad Gateway", context, fault.violations[0]?.context);
    case "internal":
      return broken(500, "internal", "Internal Server Error", context);
    case "refused":
      return ofRefused(fault, context);
  }
}

/** Nothing is there, or nothing that the caller may know of: the two look the same. */
export function notFound(): Problem {
  return one(404, ["path"], "not_found", "Not Found");
}

export function methodNotAllowed(method: string, allow: string): Problem {
  return one(405, ["method"], "method_not_allowed", "Method Not Allowed", method, {}, { Allow: allow });
}

/** `tried`: a bearer token was presented, but it is not good. */
export function unauthenticated(tried: boolean): Problem {
  const realm = 'Bearer realm="assistant"';
  const challenge = tried ? `${realm}, error="invalid_token", error_description="The token is not valid"` : realm;
  return one(
    401,
    ["header", "authorization"],
    "unauthenticated",
    "Not authenticated",
    null,
    tried ? { error: "invalid_token" } : {},
    { "WWW-Authenticate": challenge },
  );
}

/** A URL longer than we read (RFC 9110, 414). */
export function uriTooLong(bytesMax: number): Problem {
  return one(414, ["path"], "payload_too_large", "Payload Too Large", null, { max_bytes: bytesMax });
}

/** Headers larger than we read (RFC 6585, 431). */
export function headersTooLarge(bytesMax: number): Problem {
  return one(431, ["header"], "payload_too_large", "Payload Too Large", null, { max_bytes: bytesMax });
}

/** A request that did not arrive in time (RFC 9110, 408). */
export function requestTimedOut(): Problem {
  return one(408, [], "bad_request", "Request Timeout", null, { reason: "timeout" });
}

/** A token request that is not even one that identity could judge. */
export function invalidTokenRequest(description: string | undefined): Problem {
  return { ...one(400, ["body"], "invalid_request", "Invalid request"), description };
}

function ofInvalid(located: readonly Located[], context: ProblemContext): Problem {
  if (located.length === 0) return broken(500, "internal", "Internal Server Error", context);
  // An id of the wrong form names nothing.
  if (located.some(({ path }) => path[0] === "path")) return notFound();
  return { status: located[0]?.type === "bad_request" ? 400 : 422, detail: located.map(detailOf), headers: {} };
}

function ofDenied(located: readonly Located[]): Problem {
  const inFields = located.filter(({ path }) => path.length > 1);
  if (inFields.length > 0) return { status: 403, detail: inFields.map(detailOf), headers: {} };
  return one(403, ["header", "authorization"], "forbidden", "Not permitted");
}

function ofConflict(violations: readonly Violation[], located: readonly Located[]): Problem {
  const aboutThing = violations.filter(({ path }) => path.length === 0);
  const detail = [
    ...located.filter(({ path }) => path.length > 1),
    ...aboutThing.map((thing) => ({ ...thing, path: ["path"], input: null })),
  ];
  return { status: 409, detail: detail.map(detailOf), headers: {} };
}

function ofRefused({ violations: [refused], description }: Fault, { isBasic }: ProblemContext): Problem {
  if (refused === undefined) return invalidTokenRequest(description);
  const isClient = refused.type === "invalid_client";
  // The scheme that the client used (RFC 6749, 5.2).
  const headers = isClient ? { "WWW-Authenticate": `${isBasic ? "Basic" : "Bearer"} realm="assistant"` } : {};
  return { ...one(isClient ? 401 : 400, ["body"], refused.type, refused.message, null, {}, headers), description };
}

function shown(header: string | undefined): string | null {
  return header === undefined ? null : cutText(header);
}

function told(
  status: number,
  located: readonly Located[],
  loc: readonly string[],
  type: string,
  text: string,
): Problem {
  if (located.length === 0) return one(status, loc, type, text);
  // Bytes are not repeated: they are too many, or nothing that anybody reads.
  return { status, detail: located.map((found) => detailOf({ ...found, input: null })), headers: {} };
}

function waiting(
  status: number,
  type: string,
  text: string,
  retryAfterS = 1,
  ctx: Readonly<Record<string, unknown>> = {},
): Problem {
  const headers = { "Retry-After": String(retryAfterS) };
  return one(status, [], type, text, null, { retry_after: retryAfterS, ...ctx }, headers);
}

function broken(
  status: number,
  type: string,
  text: string,
  { requestId }: ProblemContext,
  ctx: Readonly<Record<string, unknown>> = {},
): Problem {
  return one(status, [], type, text, null, { ...ctx, request_id: requestId });
}

function one(
  status: number,
  loc: readonly string[],
  type: string,
  text: string,
  input: unknown = null,
  ctx: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Problem {
  return { status, detail: [detailOf({ ...violation(loc, type, text, ctx), input })], headers };
}
