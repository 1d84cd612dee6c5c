import type { Call } from "@assistant/kit/wire/call.js";
import type { Exchange } from "./exchange.js";

/** The call by which a request is handed on to a service. */
export function createCall(exchange: Exchange, rpc: string, deadlineMs: number): Call {
  const { caller, request, requestId, traceparent, signal } = exchange;
  if (caller === undefined) throw new Error(`${rpc}: nobody asked who calls`);
  return {
    rpc,
    caller,
    deadlineMs,
    signal,
    requestId,
    traceparent,
    client: { address: request.ip ?? "", userAgent: request.headers["user-agent"] ?? "" },
    reply: {},
  };
}
