import type { ServerResponse } from "node:http";
import type { Exchange } from "./exchange.js";
import type { Problem } from "./refusal.js";

/** Headers that every answer has. */
export type CommonHeaders = (exchange: Exchange) => void;

export function createCommonHeaders(options: { corsOrigins: readonly string[]; isBehindTls: boolean }): CommonHeaders {
  const origins = new Set(options.corsOrigins);
  return ({ request, response, requestId }) => {
    response.setHeader("X-Request-Id", requestId);
    response.setHeader("X-Content-Type-Options", "nosniff");
    if (options.isBehindTls) response.setHeader("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
    if (origins.size === 0) return;
    response.setHeader("Vary", "Origin");
    const { origin } = request.headers;
    if (origin !== undefined && origins.has(origin)) allowOrigin(response, origin);
  };
}

function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", EXPOSED);
}

/** Answers an OPTIONS request: what the path takes, and to browsers what they may send. */
export function answerOptions({ request, response }: Exchange, allow: string): void {
  response.setHeader("Allow", allow);
  if (response.hasHeader("Access-Control-Allow-Origin") && request.headers["access-control-request-method"]) {
    response.setHeader("Access-Control-Allow-Methods", allow);
    response.setHeader("Access-Control-Allow-Headers", ACCEPTED);
    response.setHeader("Access-Control-Max-Age", "600");
  }
  response.writeHead(204).end();
}

/** Answers JSON. */
export function answerJson(response: ServerResponse, status: number, value: unknown): void {
  const bytes = Buffer.from(JSON.stringify(value));
  response.statusCode = status;
  response.setHeader("Content-Type", "application/json");
  response.setHeader("Content-Length", bytes.length);
  response.end(bytes);
}

/** Answers what went wrong; `withError` adds the names of RFC 6749. */
export function answerProblem(response: ServerResponse, problem: Problem, withError = false): void {
  const { status, detail, headers, description } = problem;
  // An answer that has begun can only be broken off, so that the client does not take it for whole.
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const name of ["ETag", "Location", "Idempotency-Replayed"]) response.removeHeader(name);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader("Cache-Control", "no-store");
  const [first] = detail;
  const named =
    withError && first !== undefined ? { error: first.type, error_description: description ?? first.msg } : {};
  answerJson(response, status, { ...named, detail });
}

const ACCEPTED =
  "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id, traceparent";
const EXPOSED = [
  "Content-Disposition",
  "ETag",
  "Location",
  "Idempotency-Replayed",
  "Preference-Applied",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Server-Timing",
  "WWW-Authenticate",
  "X-Request-Id",
].join(", ");
