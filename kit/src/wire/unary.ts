import type { FileRegistry } from "@bufbuild/protobuf";
import { type handleUnaryCall, type Metadata, type ServerUnaryCall, type StatusObject, status } from "@grpc/grpc-js";
import { anonymous, type Caller } from "../caller/caller.js";
import type { Verifier } from "../caller/verifier.js";
import type { Log } from "../process/log.js";
import { methodDescriptor, methodRulesOf } from "../rules/descriptor.js";
import { createChecker } from "../rules/rules.js";
import { notAnObject } from "../rules/violation.js";
import { type Arrival, watchArrival } from "./arrival.js";
import type { Call } from "./call.js";
import { readCallingService, readRequestMetadata, readToken, readTrace, replyMetadata } from "./call-wire.js";
import { denied, Fault, invalid, unauthenticated } from "./fault.js";
import { faultFrom, faultToStatus } from "./fault-wire.js";
import type { AnyRpc } from "./rpc.js";
import { spanIdOf, traceIdOf } from "./trace.js";

/** What every rpc of a server shares. */
export interface Doorway {
  readonly verifier: Verifier;
  readonly allowedCallers: ReadonlySet<string>;
  readonly registry: FileRegistry;
  readonly log: Log;
}

/** One rpc with its handler; the messages' types were checked against each other where the two were put together. */
export interface Serving {
  readonly rpc: AnyRpc;
  readonly handle: (request: unknown, call: Call) => Promise<unknown>;
  /** Needs no token. */
  readonly open: boolean;
}

/**
 * Answers one rpc: who calls, by which token, may guests if one does, do the bytes decode, are the rules kept; then the
 * handler; then status, trailers and one line in the log. Bytes come undecoded, so that what does not decode is the client's mistake.
 */
export function answerUnary(serving: Serving, doorway: Doorway): handleUnaryCall<Buffer, Buffer> {
  const method = methodDescriptor(serving.rpc.path, doorway.registry);
  const check = createChecker(method.input, doorway.registry);
  const isForGuests = methodRulesOf(method).guests;

  const attend = async (wire: Wire, call: Call): Promise<Buffer> => {
    const request = decode(serving.rpc, wire.request);
    const violations = check(request);
    if (violations.length > 0) {
      throw invalid(...violations);
    }
    return serving.rpc.responseSerialize(await serving.handle(request, call));
  };

  return (wire, respond) => {
    const startedMs = performance.now();
    const arrival = watchArrival(wire);
    const trace = readTrace(wire.metadata);
    let caller = anonymous;
    const work = async () => {
      admitService(wire.metadata, doorway.allowedCallers);
      caller = serving.open ? anonymous : await verifiedCaller(wire.metadata, doorway.verifier, trace);
      if (caller.useCaseId !== undefined && !isForGuests) {
        throw denied();
      }
      const call = createCall(serving.rpc.path, caller, arrival, trace, wire.metadata);
      return { bytes: await attend(wire, call), trailers: replyMetadata(call.reply) };
    };
    const finish = (outcome: Outcome) => {
      arrival.close();
      logCall(doorway.log, { rpc: serving.rpc.path, startedMs, trace, caller, outcome });
    };
    const running = work();
    running.catch((error) => logAbandoned(doorway.log, serving.rpc.path, arrival, error));
    arrival.until(running).then(
      ({ bytes, trailers }) => {
        respond(null, bytes, trailers);
        finish({ code: status.OK });
      },
      (error) => {
        const fault = faultFrom(error);
        const answer = faultToStatus(fault);
        respond(answer);
        finish({ code: isGone(wire, arrival) ? status.CANCELLED : answer.code, fault });
      },
    );
  };
}

type Wire = ServerUnaryCall<Buffer, Buffer>;

interface Outcome {
  readonly code: StatusObject["code"];
  readonly fault?: Fault;
}

function admitService(metadata: Metadata, allowed: ReadonlySet<string>): void {
  const service = readCallingService(metadata);
  if (service !== undefined && !allowed.has(service)) {
    throw new Fault("denied", `the service ${service} may not call this one`, { violations: denied().violations });
  }
}

async function verifiedCaller(
  metadata: Metadata,
  verifier: Verifier,
  trace: Pick<Call, "requestId" | "traceparent">,
): Promise<Caller> {
  const token = readToken(metadata);
  if (token === undefined) {
    throw unauthenticated("no bearer token");
  }
  return verifier.verify(token, trace);
}

function createCall(
  rpc: string,
  caller: Caller,
  arrival: Arrival,
  trace: Pick<Call, "requestId" | "traceparent">,
  metadata: Metadata,
): Call {
  const { deadlineMs, signal } = arrival;
  return { rpc, caller, deadlineMs, signal, ...trace, ...readRequestMetadata(metadata), reply: {} };
}

function decode(rpc: AnyRpc, bytes: Buffer): unknown {
  try {
    return rpc.requestDeserialize(bytes);
  } catch (cause) {
    throw new Fault("invalid", "the bytes of the request do not decode", { cause, violations: [notAnObject([])] });
  }
}

// Nobody waits for it any more, but a defect is a defect. That work ends early once it is given up is as it should be.
function logAbandoned(log: Log, rpc: string, { signal }: Arrival, error: unknown): void {
  const isExpected = error instanceof Fault || (error instanceof Error && error.name === "AbortError");
  if (signal.aborted && !isExpected) {
    log.error({ rpc, err: error }, "failed after it was given up");
  }
}

function isGone(wire: Wire, arrival: Arrival): boolean {
  return wire.cancelled && Date.now() < arrival.deadlineMs;
}

interface Line {
  readonly rpc: string;
  readonly startedMs: number;
  readonly trace: Pick<Call, "requestId" | "traceparent">;
  readonly caller: Caller;
  readonly outcome: Outcome;
}

function logCall(log: Log, { rpc, startedMs, trace, caller, outcome: { code, fault } }: Line): void {
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

// What a client does wrong is the ordinary day; what fails in or under us wants a look.
function levelOf({ kind }: Fault): "info" | "warn" | "error" {
  if (kind === "internal") {
    return "error";
  }
  return kind === "unavailable" || kind === "late" || kind === "upstream" ? "warn" : "info";
}
