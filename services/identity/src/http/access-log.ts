import type { Log } from "@assistant/kit/process/log.js";
import { spanIdOf, traceIdOf } from "@assistant/kit/wire/trace.js";
import type { RequestHandler } from "express";
import { visitOf } from "./visit.js";

/** Writes one line for each request when its answer is done or its client gone, without queries, forms and cookies. */
export function accessLog(log: Log): RequestHandler {
  return (request, response, next) => {
    const startedAtMs = performance.now();
    const { requestId, traceparent } = visitOf(request);
    response.once("close", () => {
      log.info(
        {
          request_id: requestId,
          trace_id: traceIdOf(traceparent),
          span_id: spanIdOf(traceparent),
          method: request.method,
          // As the route has it: what a stranger asks for is no text of ours.
          route: request.route?.path,
          status: response.writableFinished ? response.statusCode : GONE,
          duration_ms: Math.round((performance.now() - startedAtMs) * 1_000) / 1_000,
        },
        "request",
      );
    });
    next();
  };
}

/** What stands for the status where the client went away without waiting for one. */
const GONE = 499;
