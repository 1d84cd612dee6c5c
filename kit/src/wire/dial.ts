import { setTimeout as sleep } from "node:timers/promises";
import type { FileRegistry } from "@bufbuild/protobuf";
import { status } from "@grpc/grpc-js";
import type { Log } from "../process/log.js";
import { isRepeatable, methodDescriptor, platformRegistry } from "../rules/descriptor.js";
import type { Call } from "./call.js";
import { takeReply } from "./call-wire.js";
import { faultFromStatus } from "./fault-wire.js";
import { decodeResponse, headingOf, isFailure, LEAST_MS, type Line, openLine, refuseIfAbandoned } from "./line.js";
import { streamOver } from "./peer-stream.js";
import type { Rpc, StreamRpc } from "./rpc.js";
import type { Answer, Frame } from "./transport.js";

/** Another service, as one may call it. */
export interface Peer {
  readonly name: string;
  /**
   * Calls an rpc of the peer on behalf of a call; throws a Fault. Where the call is for this very rpc (`call.rpc`), its
   * If-Match and Idempotency-Key travel along and its reply is filled in; an rpc asked on the way has neither.
   */
  call<Request, Response>(rpc: Rpc<Request, Response>, request: Request, call: Call): Promise<Response>;
  /**
   * Opens a stream both ways on behalf of a call, as `call` makes one, once the first answer is asked for. Requests are
   * taken and answers read only as fast as they are wanted; never asked twice. Whoever stops reading gives the call up, and
   * requests are then told by `return()`. Throws a Fault, or the very error that the requests throw.
   */
  stream<Request, Response>(
    rpc: StreamRpc<Request, Response>,
    requests: AsyncIterable<Request>,
    call: Call,
  ): AsyncIterable<Response>;
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
  const line = openLine(from, to, address, log);
  const repeatable = new Map<string, boolean>();

  const mayRepeat = (path: string) => {
    const known = repeatable.get(path) ?? isRepeatable(methodDescriptor(path, registry));
    repeatable.set(path, known);
    return known;
  };

  return {
    name: to,
    close: () => line.transport.close(),
    async call(rpc, request, call) {
      const leave = line.enter();
      try {
        const frame = { ...headingOf(rpc.path, call, from), bytes: rpc.requestSerialize(request) };
        const answer = await sendWithin(line, frame, mayRepeat(rpc.path) ? ATTEMPTS_MAX : 1);
        takeReply(call, rpc.path, answer.status.metadata);
        return decodeResponse(rpc, answer.bytes ?? Buffer.alloc(0), to);
      } finally {
        leave();
      }
    },
    stream: (rpc, requests, call) => streamOver(line, rpc, requests, call),
  };
}

const ATTEMPTS_MAX = 4;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

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
      outcome.status.code === status.UNAVAILABLE &&
      attempt < attemptsMax &&
      frame.deadlineMs - Date.now() > pauseMs + LEAST_MS;
    if (!isWorthIt) {
      throw faultFromStatus(outcome.status, line.to);
    }
    await pause(pauseMs, frame.signal);
  }
}

async function sendOnce(line: Line, frame: Frame): Promise<Answer> {
  const record = line.begin(frame);
  const answer = await line.transport.send(frame);
  record(frame.signal.aborted ? undefined : !isFailure(answer.status));
  refuseIfAbandoned(frame.signal);
  return answer;
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
