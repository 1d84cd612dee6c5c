import { type StatusObject, status } from "@grpc/grpc-js";
import type { Caller } from "../caller/caller.js";
import type { Log } from "../process/log.js";
import type { Call } from "./call.js";
import { Fault } from "./fault.js";
import { spanIdOf, traceIdOf } from "./trace.js";

/** How a call ended. */
export interface Outcome {
  readonly code: StatusObject["code"];
  readonly fault?: Fault;
}

/** What is told of a call when it has ended. */
export interface Line {
  readonly rpc: string;
  readonly startedMs: number;
  readonly trace: Pick<Call, "requestId" | "traceparent">;
  readonly caller: Caller;
  readonly outcome: Outcome;
}

/** Writes the one line that every call gets. */
export function logCall(log: Log, { rpc, startedMs, trace, caller, outcome: { code, fault } }: Line): void {
  const line = {
    rpc,
    status: status[code],
    duration_ms: Math.round((performance.now() - startedMs) * 1_000) / 1_000,
    request_id: trace.requestId,
    trace_id: traceIdOf(trace.traceparent),
    span_id: spanIdOf(trace.traceparent),
    org_id: caller.orgId,
    actor_id: caller.principalId,
  };
  if (fault === undefined) {
    log.info(line, "answered");
  } else {
    log[levelOf(fault)](
      { ...line, reason: fault.message, ...(fault.cause === undefined ? {} : { err: fault.cause }) },
      "failed",
    );
  }
}

/** Nobody waits for it any more, but a defect is a defect. That work ends early once it is given up is as it should be. */
export function logAbandoned(log: Log, rpc: string, signal: AbortSignal, error: unknown): void {
  const isExpected = error instanceof Fault || (error instanceof Error && error.name === "AbortError");
  if (signal.aborted && !isExpected) {
    log.error({ rpc, err: error }, "failed after it was given up");
  }
}

// What a client does wrong is the ordinary day; what fails in or under us wants a look.
function levelOf({ kind }: Fault): "info" | "warn" | "error" {
  if (kind === "internal") {
    return "error";
  }
  return kind === "unavailable" || kind === "late" || kind === "upstream" ? "warn" : "info";
}
