import { type StatusObject, status } from "@grpc/grpc-js";
import type { Call } from "./call.js";
import { announceLastRequest, LAST_REQUEST, takeReply } from "./call-wire.js";
import { late } from "./fault.js";
import { faultFromStatus } from "./fault-wire.js";
import { createOutlet, messagesOf, pump } from "./flow.js";
import { abandonment, decodeResponse, headingOf, isFailure, type Line } from "./line.js";
import type { StreamRpc } from "./rpc.js";
import type { Exchange } from "./transport.js";

/** The responses of a peer to a stream of requests; the call begins when the first of them is asked for. */
export function streamOver<Request, Response>(
  line: Line,
  rpc: StreamRpc<Request, Response>,
  requests: AsyncIterable<Request>,
  call: Call,
): AsyncIterableIterator<Response, void, undefined> {
  const halt = new AbortController();
  const responses = converse(line, rpc, requests, call, halt);
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => responses.next(),
    return: () => {
      // A generator that waits for something does not hear that it is to return.
      halt.abort(late("the responses are not read any more"));
      return responses.return();
    },
  };
}

/** A stream under way. */
interface Stream extends Exchange {
  /** Aborted when this side gives the call up, with the reason. */
  readonly halt: AbortController;
  /** Aborted when the call has ended, however it did. */
  readonly over: AbortSignal;
  /** The next request is asked of its source. */
  asks: boolean;
  /** The next response is asked of the peer. */
  reads: boolean;
}

async function* converse<Request, Response>(
  line: Line,
  rpc: StreamRpc<Request, Response>,
  requests: AsyncIterable<Request>,
  call: Call,
  halt: AbortController,
): AsyncGenerator<Response, void, undefined> {
  const stream = begin(line, rpc.path, call, halt);
  sendAll(line, stream, requests, (request) => rpc.requestSerialize(request));
  try {
    for await (const bytes of messagesOf(stream.wire, halt.signal)) {
      stream.reads = false;
      yield decodeResponse(rpc, bytes, line.to);
      stream.reads = true;
    }
    const outcome = await stream.status;
    halt.signal.throwIfAborted();
    if (outcome.code !== status.OK) {
      throw faultFromStatus(outcome, line.to);
    }
    takeReply(call, rpc.path, outcome.metadata);
  } finally {
    halt.abort();
    stream.wire.destroy();
  }
}

// The books are closed when the call has ended, even if nobody reads the responses to their end.
function begin(line: Line, path: string, call: Call, halt: AbortController): Stream {
  const heading = headingOf(path, call, line.from);
  announceLastRequest(heading.metadata);
  const leave = line.enter();
  try {
    const record = line.begin(heading);
    const exchange = line.transport.open({ ...heading, signal: halt.signal });
    const over = new AbortController();
    const stream: Stream = { ...exchange, halt, over: over.signal, asks: true, reads: true };
    const abandon = () => halt.abort(abandonment(call.signal.reason));
    call.signal.addEventListener("abort", abandon, { once: true });
    void exchange.status.then((outcome) => {
      call.signal.removeEventListener("abort", abandon);
      leave();
      record(verdict(stream, outcome));
      over.abort();
    });
    return stream;
  } catch (error) {
    leave();
    throw error;
  }
}

// What this side gave up, or kept waiting until the deadline passed, says nothing about the peer: slow clients must not
// have it called no more.
function verdict({ halt, asks, reads }: Stream, outcome: StatusObject): boolean | undefined {
  const isOurs = outcome.code === status.DEADLINE_EXCEEDED && (asks || !reads);
  return halt.signal.aborted || isOurs ? undefined : !isFailure(outcome);
}

function sendAll<Request>(
  { to, log }: Line,
  stream: Stream,
  requests: AsyncIterable<Request>,
  serialize: (request: Request) => Buffer,
): void {
  const { wire, halt, over } = stream;
  const outlet = createOutlet(wire, over);
  const send = async (request: Request) => {
    stream.asks = false;
    await outlet.send(serialize(request));
    stream.asks = true;
  };
  pump(requests, send, over).then(
    () => {
      stream.asks = false;
      if (!over.aborted) {
        wire.end(LAST_REQUEST);
      }
    },
    (error) => {
      if (!over.aborted) {
        halt.abort(error);
      } else if (error !== over.reason) {
        log?.info({ peer: to, err: error }, "the requests failed after the call had ended");
      }
    },
  );
}
