import type { Log } from "@assistant/kit/process/log.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import type { ErrorRequestHandler } from "express";
import type { FailureReason } from "../pages/failure.js";
import type { Pages } from "../pages/pages.js";
import { visitOf } from "./visit.js";

/** What nobody caught becomes a page that shows nothing of its cause. */
export function onError(pages: Pages, log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const { status, reason, retryAfterS } = failureOf(error);
    const { requestId } = visitOf(request);
    if (status >= 500) log.error({ err: error, request_id: requestId, route: request.route?.path }, "request failed");
    // An answer that has begun can only be broken off, so that the client does not take it for whole.
    if (response.headersSent) response.destroy();
    else pages.failure(request, response, status, reason, retryAfterS);
  };
}

interface Failure {
  readonly status: number;
  readonly reason: FailureReason;
  readonly retryAfterS?: number | undefined;
}

function failureOf(error: unknown): Failure {
  if (error instanceof Fault) return ofFault(error);
  const status = statusOf(error);
  if (status === 404) return { status, reason: "not_found" };
  // Express and its parsers say so where it is the request that cannot be read.
  if (status !== undefined && status >= 400 && status < 500) return { status, reason: "bad_request" };
  return { status: 500, reason: "internal" };
}

function ofFault({ kind, retryAfterS }: Fault): Failure {
  if (kind === "exhausted") return { status: 429, reason: "too_many", retryAfterS };
  if (kind === "unavailable" || kind === "late") return { status: 503, reason: "unavailable", retryAfterS };
  return { status: 500, reason: "internal" };
}

function statusOf(error: unknown): number | undefined {
  return error instanceof Error && "status" in error && typeof error.status === "number" ? error.status : undefined;
}
