import type { Call } from "./call.js";

/**
 * One unary rpc as the generated definitions describe it. The four are methods, not properties, so that a definition of
 * particular messages also fits where the messages do not matter.
 */
export interface Rpc<Request, Response> {
  readonly path: string;
  readonly requestStream: false;
  readonly responseStream: false;
  requestSerialize(message: Request): Buffer;
  requestDeserialize(bytes: Buffer): Request;
  responseSerialize(message: Response): Buffer;
  responseDeserialize(bytes: Buffer): Response;
}

/** Any unary rpc. */
export type AnyRpc = Rpc<unknown, unknown>;

/** The rpcs of one service by their names: `ContextsServiceService` of the generated code. */
export type Definition = Readonly<Record<string, AnyRpc>>;

export type RequestOf<R> = R extends { requestDeserialize(bytes: Buffer): infer Request } ? Request : never;
export type ResponseOf<R> = R extends { responseDeserialize(bytes: Buffer): infer Response } ? Response : never;

export type Handler<R> = (request: RequestOf<R>, call: Call) => Promise<ResponseOf<R>>;

/** A handler for every rpc of a service. */
export type Handlers<D> = { readonly [name in keyof D]: Handler<D[name]> };

/** `assistant.contexts.v1.ContextsService` out of `/assistant.contexts.v1.ContextsService/GetContext`. */
export function serviceOf(path: string): string {
  return path.slice(1, path.lastIndexOf("/"));
}

/** `GetContext` out of `/assistant.contexts.v1.ContextsService/GetContext`. */
export function methodOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
