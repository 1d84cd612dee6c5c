import { type StatusObject, status } from "@grpc/grpc-js";
import type { Log } from "../process/log.js";
import { createBreaker } from "./breaker.js";
import type { Call } from "./call.js";
import { requestMetadata } from "./call-wire.js";
import { Fault, late, unavailable } from "./fault.js";
import type { AnyRpc, AnyStreamRpc, ResponseOf } from "./rpc.js";
import { type Heading, openTransport, type Transport } from "./transport.js";

/** The way to a peer, with what all calls on it share: the bulkhead and the breaker. */
export interface Line {
  readonly from: string;
  readonly to: string;
  readonly transport: Transport;
  readonly log: Log | undefined;
  /** Takes one of the places for calls in flight, until what it returns is called; throws a Fault if none is left. */
  enter(): () => void;
  /**
   * Throws a Fault unless a call may be made now. What it returns takes how the call ended; `undefined`: that says nothing
   * about the peer.
   */
  begin(heading: Pick<Heading, "deadlineMs" | "signal">): (succeeded: boolean | undefined) => void;
}

/** Work that cannot be finished in less is not begun. */
export const LEAST_MS = 50;

export function openLine(from: string, to: string, address: string, log: Log | undefined): Line {
  const breaker = createBreaker();
  let inFlight = 0;

  const record = (succeeded: boolean | undefined) => {
    const wasOpen = breaker.isOpen;
    breaker.record(succeeded);
    if (breaker.isOpen !== wasOpen) {
      log?.warn({ peer: to, open: breaker.isOpen }, breaker.isOpen ? "the breaker opens" : "the breaker closes");
    }
  };

  return {
    from,
    to,
    transport: openTransport(address),
    log,
    enter() {
      if (inFlight >= IN_FLIGHT_MAX) {
        throw unavailable(`${IN_FLIGHT_MAX} calls to ${to} are in flight already`);
      }
      inFlight += 1;
      return () => {
        inFlight -= 1;
      };
    },
    begin({ deadlineMs, signal }) {
      refuseIfAbandoned(signal);
      if (deadlineMs - Date.now() < LEAST_MS) {
        throw late(`too little time is left to ask ${to}`);
      }
      if (!breaker.admits()) {
        throw unavailable(`${to} fails too often and is not called for a while`);
      }
      return record;
    },
  };
}

/** What goes ahead of a call that another one makes. */
export function headingOf(rpc: string, call: Call, from: string): Heading {
  return {
    path: rpc,
    metadata: requestMetadata(call, rpc, from),
    deadlineMs: call.deadlineMs - HOP_MS,
    signal: call.signal,
  };
}

export function refuseIfAbandoned({ aborted, reason }: AbortSignal): void {
  if (aborted) {
    throw abandonment(reason);
  }
}

/** The Fault of a call that was given up for this reason. */
export function abandonment(reason: unknown): Fault {
  return reason instanceof Fault ? reason : new Fault("late", "the call was given up", { cause: reason });
}

/** Whether a call failed because the peer is away or does not answer in time. */
export function isFailure({ code }: StatusObject): boolean {
  return code === status.UNAVAILABLE || code === status.DEADLINE_EXCEEDED;
}

export function decodeResponse<R extends AnyRpc | AnyStreamRpc>(rpc: R, bytes: Buffer, to: string): ResponseOf<R> {
  try {
    // What the rpc itself decodes is a response of it.
    return rpc.responseDeserialize(bytes) as ResponseOf<R>;
  } catch (cause) {
    throw new Fault("internal", `the answer of ${to} does not decode`, { cause });
  }
}

const IN_FLIGHT_MAX = 256;
/** Every hop keeps this for its own answer. */
const HOP_MS = 20;
