import { setTimeout as sleep } from "node:timers/promises";
import type { FileRegistry } from "@bufbuild/protobuf";
import { type StatusObject, status } from "@grpc/grpc-js";
import type { Log } from "../process/log.js";
import { isRepeatable, methodDescriptor, platformRegistry } from "../rules/descriptor.js";
import { type Breaker, createBreaker } from "./breaker.js";
import type { Call } from "./call.js";
import { requestMetadata, takeReply } from "./call-wire.js";
import { Fault, late, unavailable } from "./fault.js";
import { faultFromStatus } from "./fault-wire.js";
import type { Rpc } from "./rpc.js";
import { type Answer, type Frame, openTransport, type Transport } from "./transport.js";

/** Another service, as one may call it. */
export interface Peer {
  readonly name: string;
  /**
   * Calls an rpc of the peer on behalf of a call; throws a Fault. Where the call is for this very rpc (`call.rpc`), its
   * If-Match and Idempotency-Key travel along and its reply is filled in; an rpc asked on the way has neither.
   */
  call<Request, Response>(rpc: Rpc<Request, Response>, request: Request, call: Call): Promise<Response>;
  close(): void;
}

export interface DialOptions {
  /** The service that calls. */
  readonly from: string;
  /** The service that is called. */
  readonly to: string;
  /** `127.0.0.1:50051` or `dns:///contexts-headless:50051`. */
  readonly address: string;
  readonly log?: Log;
  /** Where the rpcs are described, if not with the platform's own. */
  readonly registry?: FileRegistry;
}

/** A peer behind a channel of its own, with the deadline, the retries, the bulkhead and the breaker of the platform. */
export function dial({ from, to, address, log, registry = platformRegistry() }: DialOptions): Peer {
  const transport = openTransport(address);
  const line: Line = { to, transport, breaker: createBreaker(), log };
  const repeatable = new Map<string, boolean>();
  let inFlight = 0;

  const mayRepeat = (path: string) => {
    const known = repeatable.get(path) ?? isRepeatable(methodDescriptor(path, registry));
    repeatable.set(path, known);
    return known;
  };

  return {
    name: to,
    close: () => transport.close(),
    async call(rpc, request, call) {
      if (inFlight >= IN_FLIGHT_MAX) {
        throw unavailable(`${IN_FLIGHT_MAX} calls to ${to} are in flight already`);
      }
      inFlight += 1;
      try {
        const frame = frameOf(rpc, request, call, from);
        const answer = await sendWithin(line, frame, mayRepeat(rpc.path) ? ATTEMPTS_MAX : 1);
        takeReply(call, rpc.path, answer.status.metadata);
        return decode(rpc, answer, to);
      } finally {
        inFlight -= 1;
      }
    },
  };
}

interface Line {
  readonly to: string;
  readonly transport: Transport;
  readonly breaker: Breaker;
  readonly log: Log | undefined;
}

const IN_FLIGHT_MAX = 256;
/** Every hop keeps this for its own answer. */
const HOP_MS = 20;
/** Work that cannot be finished in less is not begun. */
const LEAST_MS = 50;
const ATTEMPTS_MAX = 4;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

function frameOf<Request, Response>(rpc: Rpc<Request, Response>, request: Request, call: Call, from: string): Frame {
  return {
    path: rpc.path,
    bytes: rpc.requestSerialize(request),
    metadata: requestMetadata(call, rpc.path, from),
    deadlineMs: call.deadlineMs - HOP_MS,
    signal: call.signal,
  };
}

// The retries are our own and not grpc-js's: they must count for the breaker, end before the deadline, and also serve
// frames that travel together.
async function sendWithin(line: Line, frame: Frame, attemptsMax: number): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await sendOnce(line, frame);
    if (outcome.status.code === status.OK) {
      return outcome;
    }
    const pauseMs = pauseAfter(attempt);
    const isWorthIt =
      isUnavailable(outcome.status) && attempt < attemptsMax && frame.deadlineMs - Date.now() > pauseMs + LEAST_MS;
    if (!isWorthIt) {
      throw faultFromStatus(outcome.status, line.to);
    }
    await pause(pauseMs, frame.signal);
  }
}

async function sendOnce({ to, transport, breaker, log }: Line, frame: Frame): Promise<Answer> {
  refuseIfAbandoned(frame.signal);
  if (frame.deadlineMs - Date.now() < LEAST_MS) {
    throw late(`too little time is left to ask ${to}`);
  }
  if (!breaker.admits()) {
    throw unavailable(`${to} fails too often and is not called for a while`);
  }
  const wasOpen = breaker.isOpen;
  const answer = await transport.send(frame);
  breaker.record(frame.signal.aborted ? undefined : !isFailure(answer.status));
  if (breaker.isOpen !== wasOpen) {
    log?.warn({ peer: to, open: breaker.isOpen }, breaker.isOpen ? "the breaker opens" : "the breaker closes");
  }
  refuseIfAbandoned(frame.signal);
  return answer;
}

function refuseIfAbandoned({ aborted, reason }: AbortSignal): void {
  if (aborted) {
    throw reason instanceof Fault ? reason : new Fault("late", "the call was given up", { cause: reason });
  }
}

function isUnavailable({ code }: StatusObject): boolean {
  return code === status.UNAVAILABLE;
}

function isFailure({ code }: StatusObject): boolean {
  return code === status.UNAVAILABLE || code === status.DEADLINE_EXCEEDED;
}

// A quarter more or less is left to chance, so that those who failed together do not come back together.
function pauseAfter(attempt: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS) * (0.75 + Math.random() / 2);
}

async function pause(pauseMs: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(pauseMs, undefined, { signal });
  } catch (cause) {
    // The only way a timer fails.
    refuseIfAbandoned(signal);
    throw cause;
  }
}

function decode<Request, Response>(rpc: Rpc<Request, Response>, answer: Answer, to: string): Response {
  try {
    return rpc.responseDeserialize(answer.bytes ?? Buffer.alloc(0));
  } catch (cause) {
    throw new Fault("internal", `the answer of ${to} does not decode`, { cause });
  }
}
