import type { ServerResponse } from "node:http";
import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Violation } from "@assistant/kit/rules/violation.js";
import { takeRequestId, takeTraceparent } from "@assistant/kit/wire/trace.js";
import type { Request } from "express";
import type { Located } from "./refusal.js";

/** One request and its answer, and what is known of them so far. */
export interface Exchange {
  readonly request: Request;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly traceparent: string;
  readonly startedAtMs: number;
  /** Aborted when the client goes away before it has its answer. */
  readonly signal: AbortSignal;
  /** The path of the row, for the log. */
  route: string | undefined;
  caller: Caller | undefined;
  /** Where a violation that a service found stands in the request. */
  locate(violation: Violation): Located;
}

export function openExchange(request: Request, response: ServerResponse): Exchange {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return {
    request,
    response,
    requestId: takeRequestId(single(request.headers["x-request-id"])),
    traceparent: takeTraceparent(single(request.headers["traceparent"])),
    startedAtMs: performance.now(),
    signal: gone.signal,
    route: undefined,
    caller: undefined,
    // Until the operation is known nothing more is.
    locate: (violation) => ({ ...violation, input: null }),
  };
}

function single(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === "string" ? header : undefined;
}
