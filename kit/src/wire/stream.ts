import type { handleBidiStreamingCall, ServerDuplexStream } from "@grpc/grpc-js";
import type { Call } from "./call.js";
import { isLastRequestAnnounced, LAST_REQUEST } from "./call-wire.js";
import type { Fault } from "./fault.js";
import { faultFrom } from "./fault-wire.js";
import { createOutlet, messagesOf, pump, untilAborted } from "./flow.js";
import { type Doorway, openReception, type Reception } from "./reception.js";
import type { AnyStreamRpc } from "./rpc.js";

/** One streaming rpc with its handler, as `UnaryServing` is one unary rpc with its own. */
export interface StreamServing {
  readonly rpc: AnyStreamRpc;
  readonly handle: (requests: AsyncIterable<unknown>, call: Call) => AsyncIterable<unknown>;
  readonly open: boolean;
}

/** Answers a streaming rpc: reads no faster than the handler asks, and asks it no faster than the client reads. */
export function answerStream(serving: StreamServing, doorway: Doorway): handleBidiStreamingCall<Buffer, Buffer> {
  const reception = openReception(serving, doorway);
  return (wire) => {
    reception.attend(wire, {
      work: async (call, end) => {
        const outlet = createOutlet(wire, call.signal);
        const requests = readEach(wholeMessages(wire, call.signal), reception, end);
        const send = (response: unknown) => outlet.send(reception.write(response));
        await pump(serving.handle(requests, call), send, call.signal);
        await outlet.flush();
      },
      succeed: (_, trailers) => wire.end(trailers),
      // grpc-js takes a status by this event; it is sent after whatever is still on its way.
      fail: (answer) => wire.emit("error", answer),
    });
  };
}

async function* wholeMessages(
  wire: ServerDuplexStream<Buffer, Buffer>,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const isAnnounced = isLastRequestAnnounced(wire.metadata);
  for await (const bytes of messagesOf(wire, signal)) {
    if (isAnnounced && bytes.equals(LAST_REQUEST)) {
      return;
    }
    yield bytes;
  }
  if (isAnnounced) {
    // The client is going away, of which the signal will tell.
    await untilAborted(signal);
  }
}

// A message that breaks a rule ends the call, whatever the handler makes of what is thrown here.
async function* readEach(
  messages: AsyncIterable<Buffer>,
  reception: Reception,
  end: (fault: Fault) => void,
): AsyncGenerator<unknown, void, undefined> {
  for await (const bytes of messages) {
    yield readOne(bytes, reception, end);
  }
}

function readOne(bytes: Buffer, reception: Reception, end: (fault: Fault) => void): unknown {
  try {
    return reception.read(bytes);
  } catch (error) {
    const fault = faultFrom(error);
    end(fault);
    throw fault;
  }
}
