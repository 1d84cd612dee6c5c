import type { Caller } from "../caller/caller.js";

/** One call on its way through the platform: who asks, until when, and what travels beside the request message. */
export interface Call {
  /** Full method path, `/assistant.contexts.v1.ContextsService/CreateContext`. */
  readonly rpc: string;
  /** Who asks. Calls that need no token carry `anonymous`. */
  readonly caller: Caller;
  /** Epoch milliseconds after which nobody waits for the answer. */
  readonly deadlineMs: number;
  /** Aborted when the deadline passes or the client goes away. */
  readonly signal: AbortSignal;
  readonly requestId: string;
  /** W3C trace context, as it came or as the gateway made it. */
  readonly traceparent: string;
  /** Who sent the request, as the gateway saw it. Absent where no request of a client is behind the call. */
  readonly client?: Client;
  readonly ifMatch?: IfMatch;
  readonly idempotencyKey?: string;
  /** What travels back beside the response message. */
  readonly reply: Reply;
}

/** The program that sent a request. */
export interface Client {
  /** IP address; behind trusted proxies the one that they name. */
  readonly address: string;
  /** Its `User-Agent`, at most 512 characters, empty if it sent none. */
  readonly userAgent: string;
}

/** `If-Match` after parsing: any existing version, or one of these. Weak validators never match and are left out. */
export type IfMatch = "*" | readonly string[];

export interface Reply {
  /** Version of the single resource in the answer; the gateway makes the ETag from it. */
  version?: number;
  /** The answer was stored by an earlier request with the same Idempotency-Key. */
  replayed?: boolean;
}
