import type { FileRegistry } from "@bufbuild/protobuf";
import { type Metadata, type StatusObject, status } from "@grpc/grpc-js";
import { anonymous, type Caller } from "../caller/caller.js";
import type { Verifier } from "../caller/verifier.js";
import type { Log } from "../process/log.js";
import { methodDescriptor, methodRulesOf } from "../rules/descriptor.js";
import { type Arrival, type Wire, watchArrival } from "./arrival.js";
import type { Call } from "./call.js";
import { logAbandoned, logCall, type Outcome } from "./call-log.js";
import { readCallingService, readRequestMetadata, readToken, readTrace, replyMetadata } from "./call-wire.js";
import { type Coding, codingOf } from "./coding.js";
import { denied, Fault, unauthenticated } from "./fault.js";
import { faultFrom, faultToStatus } from "./fault-wire.js";
import type { AnyRpc, AnyStreamRpc } from "./rpc.js";

/** What every rpc of a server shares. */
export interface Doorway {
  readonly verifier: Verifier;
  readonly allowedCallers: ReadonlySet<string>;
  readonly registry: FileRegistry;
  readonly log: Log;
}

/** What an rpc needs of whoever calls it. */
export interface Received {
  readonly rpc: AnyRpc | AnyStreamRpc;
  /** Needs no token. */
  readonly open: boolean;
}

/** How calls of one rpc are received, whether its messages stream or not. */
export interface Reception extends Coding {
  /**
   * Answers a call: who calls, by which token, may guests if one does; then the work; then status, trailers and one line in
   * the log.
   */
  attend<Result>(wire: Wire, steps: Steps<Result>): void;
}

/** What differs from one manner of call to the other. */
export interface Steps<Result> {
  /** `end` ends the call before the work does. */
  work(call: Call, end: Arrival["end"]): Promise<Result>;
  succeed(result: Result, trailers: Metadata): void;
  fail(answer: StatusObject): void;
}

export function openReception({ rpc, open }: Received, doorway: Doorway): Reception {
  const isForGuests = methodRulesOf(methodDescriptor(rpc.path, doorway.registry)).guests;

  const admit = async (metadata: Metadata, trace: Trace): Promise<Caller> => {
    admitService(metadata, doorway.allowedCallers);
    return open ? anonymous : await verifiedCaller(metadata, doorway.verifier, trace);
  };
  const admitGuest = ({ useCaseId }: Caller) => {
    if (useCaseId !== undefined && !isForGuests) {
      throw denied();
    }
  };

  return {
    ...codingOf(rpc, doorway.registry),
    attend(wire, { work, succeed, fail }) {
      const visit = openVisit(wire, rpc.path, doorway.log);
      const { arrival, trace } = visit;
      const attending = async () => {
        visit.caller = await admit(wire.metadata, trace);
        admitGuest(visit.caller);
        arrival.signal.throwIfAborted();
        const call = createCall(rpc.path, visit, wire.metadata);
        return { result: await work(call, arrival.end), trailers: replyMetadata(call.reply) };
      };
      visit.until(attending()).then(
        ({ result, trailers }) => {
          succeed(result, trailers);
          visit.finish({ code: status.OK });
        },
        (error) => {
          const fault = faultFrom(error);
          const answer = faultToStatus(fault);
          fail(answer);
          visit.finish({ code: isGone(wire, arrival) ? status.CANCELLED : answer.code, fault });
        },
      );
    },
  };
}

/** A call from its arrival to its line in the log. */
interface Visit {
  readonly arrival: Arrival;
  readonly trace: Trace;
  /** Who calls, as soon as that is known. */
  caller: Caller;
  /** As `Arrival.until`, and logs what fails later. */
  until<Result>(work: Promise<Result>): Promise<Result>;
  finish(outcome: Outcome): void;
}

function openVisit(wire: Wire, rpc: string, log: Log): Visit {
  const startedMs = performance.now();
  const arrival = watchArrival(wire);
  const trace = readTrace(wire.metadata);
  const visit: Visit = {
    arrival,
    trace,
    caller: anonymous,
    until(work) {
      work.catch((error) => logAbandoned(log, rpc, arrival.signal, error));
      return arrival.until(work);
    },
    finish(outcome) {
      arrival.close();
      logCall(log, { rpc, startedMs, trace, caller: visit.caller, outcome });
    },
  };
  return visit;
}

type Trace = Pick<Call, "requestId" | "traceparent">;

function admitService(metadata: Metadata, allowed: ReadonlySet<string>): void {
  const service = readCallingService(metadata);
  if (service !== undefined && !allowed.has(service)) {
    throw new Fault("denied", `the service ${service} may not call this one`, { violations: denied().violations });
  }
}

async function verifiedCaller(metadata: Metadata, verifier: Verifier, trace: Trace): Promise<Caller> {
  const token = readToken(metadata);
  if (token === undefined) {
    throw unauthenticated("no bearer token");
  }
  return verifier.verify(token, trace);
}

function createCall(rpc: string, { caller, arrival, trace }: Visit, metadata: Metadata): Call {
  const { deadlineMs, signal } = arrival;
  return { rpc, caller, deadlineMs, signal, ...trace, ...readRequestMetadata(metadata), reply: {} };
}

function isGone(wire: Wire, arrival: Arrival): boolean {
  return wire.cancelled && Date.now() < arrival.deadlineMs;
}
