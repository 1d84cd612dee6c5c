import type { Log } from "@assistant/kit/process/log.js";
import { spanIdOf, traceIdOf } from "@assistant/kit/wire/trace.js";
import type { Exchange } from "./exchange.js";

/** Writes one line for each request when its answer is done or its client gone, without tokens and queries. */
export function logWhenDone(exchange: Exchange, log: Log): void {
  const { request, response, requestId, traceparent, startedAtMs } = exchange;
  response.once("close", () => {
    const { caller, route } = exchange;
    log.info(
      {
        request_id: requestId,
        trace_id: traceIdOf(traceparent),
        span_id: spanIdOf(traceparent),
        org_id: caller?.orgId || undefined,
        actor_id: caller?.principalId || undefined,
        method: request.method,
        route,
        status: response.writableFinished ? response.statusCode : GONE,
        duration_ms: Math.round((performance.now() - startedAtMs) * 1_000) / 1_000,
      },
      "request",
    );
  });
}

/** What stands for the status where the client went away without waiting for one. */
const GONE = 499;
