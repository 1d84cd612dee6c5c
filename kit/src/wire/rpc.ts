import type { Call } from "./call.js";

/**
 * One unary rpc as the generated definitions describe it. The four are methods, not properties, so that a definition of
 * particular messages also fits where the messages do not matter.
 */
export interface Rpc<Request, Response> extends Coding<Request, Response> {
  readonly requestStream: false;
  readonly responseStream: false;
}

/** One rpc whose messages stream both ways, as the generated definitions describe it. */
export interface StreamRpc<Request, Response> extends Coding<Request, Response> {
  readonly requestStream: true;
  readonly responseStream: true;
}

/** Any unary rpc. */
export type AnyRpc = Rpc<unknown, unknown>;

/** Any rpc whose messages stream both ways. */
export type AnyStreamRpc = StreamRpc<unknown, unknown>;

/** The rpcs of one service by their names: `ContextsServiceService` of the generated code. */
export type Definition = Readonly<Record<string, AnyRpc | AnyStreamRpc>>;

export type RequestOf<R> = R extends { requestDeserialize(bytes: Buffer): infer Request } ? Request : never;
export type ResponseOf<R> = R extends { responseDeserialize(bytes: Buffer): infer Response } ? Response : never;

export type Handler<R> = (request: RequestOf<R>, call: Call) => Promise<ResponseOf<R>>;

/**
 * Answers a stream of requests with one of responses. The client is read no faster than the requests are asked for; they
 * throw a Fault once the call is given up or one of them breaks a rule. Whatever is left of them when the responses end is
 * discarded. Where the call ends before the responses do, their `return()` is called, so that `finally` blocks run.
 */
export type StreamHandler<R> = (requests: AsyncIterable<RequestOf<R>>, call: Call) => AsyncIterable<ResponseOf<R>>;

/** A handler for every rpc of a service. */
export type Handlers<D> = {
  readonly [name in keyof D]: D[name] extends { readonly requestStream: true }
    ? StreamHandler<D[name]>
    : Handler<D[name]>;
};

/** What a message may weigh, in bytes, on whichever side. */
export const MESSAGE_MAX_BYTES = 4 * 1_024 * 1_024;

/** `assistant.contexts.v1.ContextsService` out of `/assistant.contexts.v1.ContextsService/GetContext`. */
export function serviceOf(path: string): string {
  return path.slice(1, path.lastIndexOf("/"));
}

/** `GetContext` out of `/assistant.contexts.v1.ContextsService/GetContext`. */
export function methodOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

interface Coding<Request, Response> {
  readonly path: string;
  requestSerialize(message: Request): Buffer;
  requestDeserialize(bytes: Buffer): Request;
  responseSerialize(message: Response): Buffer;
  responseDeserialize(bytes: Buffer): Response;
}
