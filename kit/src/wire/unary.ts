import type { handleUnaryCall } from "@grpc/grpc-js";
import type { Call } from "./call.js";
import { type Doorway, openReception } from "./reception.js";
import type { AnyRpc } from "./rpc.js";

/** One unary rpc with its handler; the messages' types were checked against each other where the two were put together. */
export interface UnaryServing {
  readonly rpc: AnyRpc;
  readonly handle: (request: unknown, call: Call) => Promise<unknown>;
  readonly open: boolean;
}

/** Answers a unary rpc. Bytes come undecoded, so that what does not decode is the client's mistake. */
export function answerUnary(serving: UnaryServing, doorway: Doorway): handleUnaryCall<Buffer, Buffer> {
  const reception = openReception(serving, doorway);
  return (wire, respond) => {
    reception.attend(wire, {
      work: async (call) => reception.write(await serving.handle(reception.read(wire.request), call)),
      succeed: (bytes, trailers) => respond(null, bytes, trailers),
      fail: (answer) => respond(answer),
    });
  };
}
