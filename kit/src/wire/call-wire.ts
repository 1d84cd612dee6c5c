import { Metadata } from "@grpc/grpc-js";
import { violation } from "../rules/violation.js";
import type { Call, Client, IfMatch, Reply } from "./call.js";
import { clientOf } from "./client.js";
import { invalid } from "./fault.js";
import { takeRequestId, takeTraceparent } from "./trace.js";

/** What travels beside a request message, as gRPC metadata. */
export function requestMetadata(call: Call, rpc: string, from: string): Metadata {
  const metadata = new Metadata();
  metadata.set(SERVICE, from);
  metadata.set(REQUEST_ID, call.requestId);
  metadata.set(TRACEPARENT, call.traceparent);
  if (call.caller.token !== "") {
    metadata.set(AUTHORIZATION, `${BEARER}${call.caller.token}`);
  }
  if (call.client !== undefined) {
    // Each of its characters may become six, and HTTP/2 has no room for headers of more than 64 KiB.
    const { address, userAgent } = clientOf(call.client);
    metadata.set(CLIENT_ADDRESS, encodeURIComponent(address));
    metadata.set(CLIENT_AGENT, encodeURIComponent(userAgent));
  }
  // A condition or a key is about the one change that the client asked for, not about what services ask on the way.
  if (isTheCallItself(call, rpc)) {
    if (call.ifMatch !== undefined) {
      metadata.set(IF_MATCH, ifMatchText(call.ifMatch));
    }
    if (call.idempotencyKey !== undefined) {
      metadata.set(IDEMPOTENCY_KEY, encodeURIComponent(call.idempotencyKey));
    }
  }
  return metadata;
}

/** The parts of a call that its metadata holds. */
export function readRequestMetadata(metadata: Metadata): Pick<Call, "client" | "ifMatch" | "idempotencyKey"> {
  const address = textOf(metadata, CLIENT_ADDRESS);
  const ifMatch = textOf(metadata, IF_MATCH);
  const idempotencyKey = textOf(metadata, IDEMPOTENCY_KEY);
  return {
    ...(address === undefined ? {} : { client: takeClient(address, textOf(metadata, CLIENT_AGENT)) }),
    ...(ifMatch === undefined ? {} : { ifMatch: takeIfMatch(ifMatch) }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey: takeIdempotencyKey(idempotencyKey) }),
  };
}

/** What the log needs even of a call that is refused. */
export function readTrace(metadata: Metadata): Pick<Call, "requestId" | "traceparent"> {
  return {
    requestId: takeRequestId(textOf(metadata, REQUEST_ID)),
    traceparent: takeTraceparent(textOf(metadata, TRACEPARENT)),
  };
}

/** The bearer token; undefined if there is none. */
export function readToken(metadata: Metadata): string | undefined {
  return /^Bearer ([^\s]+)$/i.exec(textOf(metadata, AUTHORIZATION) ?? "")?.[1];
}

/** The service that says it makes the call; undefined for clients from outside. */
export function readCallingService(metadata: Metadata): string | undefined {
  return textOf(metadata, SERVICE);
}

/**
 * The last message of a stream of requests, which no request can be. Node's HTTP/2 ends a stream before it resets it, so
 * that requests cut short by a client that goes away look complete for as long as the reset is on its way. Clients of ours
 * therefore announce this message, and without it their requests are not all there.
 */
export const LAST_REQUEST = Buffer.of(0);

export function announceLastRequest(metadata: Metadata): void {
  metadata.set(LAST_REQUEST_ANNOUNCED, "true");
}

export function isLastRequestAnnounced(metadata: Metadata): boolean {
  return textOf(metadata, LAST_REQUEST_ANNOUNCED) === "true";
}

/** What travels beside a response message. */
export function replyMetadata(reply: Reply): Metadata {
  const metadata = new Metadata();
  if (reply.version !== undefined) {
    metadata.set(VERSION, String(reply.version));
  }
  if (reply.replayed === true) {
    metadata.set(REPLAYED, "true");
  }
  return metadata;
}

/** Fills the reply of a call from the trailers of its own answer. */
export function takeReply(call: Call, rpc: string, trailers: Metadata): void {
  if (!isTheCallItself(call, rpc)) {
    return;
  }
  const version = Number(textOf(trailers, VERSION));
  if (Number.isSafeInteger(version)) {
    call.reply.version = version;
  }
  if (textOf(trailers, REPLAYED) === "true") {
    call.reply.replayed = true;
  }
}

const AUTHORIZATION = "authorization";
const BEARER = "Bearer ";
const SERVICE = "assistant-service";
const REQUEST_ID = "x-request-id";
const TRACEPARENT = "traceparent";
const CLIENT_ADDRESS = "x-client-address";
const CLIENT_AGENT = "x-client-agent";
const LAST_REQUEST_ANNOUNCED = "assistant-last-request";
const IF_MATCH = "if-match";
const IDEMPOTENCY_KEY = "idempotency-key";
const IDEMPOTENCY_KEY_MAX = 255;
const VERSION = "version";
const REPLAYED = "replayed";

// The gateway makes a call for an rpc and sends it there; a service passes the call it is in to others of other rpcs.
function isTheCallItself(call: Call, rpc: string): boolean {
  return call.rpc === rpc;
}

function textOf(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === "string" ? value : undefined;
}

// Metadata takes printable ASCII only, a comma may stand in a tag, and the tag `"*"` is not the wildcard.
function ifMatchText(ifMatch: IfMatch): string {
  const tagText = (tag: string) => encodeURIComponent(tag).replaceAll("*", "%2A");
  return ifMatch === "*" ? "*" : ifMatch.map(tagText).join(",");
}

function takeClient(address: string, userAgent = ""): Client {
  return clientOf({ address: decoded(address), userAgent: decoded(userAgent) });
}

function takeIfMatch(text: string): IfMatch {
  return text === "*" ? "*" : text.split(",").flatMap((tag) => (tag.trim() === "" ? [] : [decoded(tag.trim())]));
}

function takeIdempotencyKey(text: string): string {
  const key = decoded(text);
  if (key.length < 1 || key.length > IDEMPOTENCY_KEY_MAX) {
    throw invalid(violation(["header", IDEMPOTENCY_KEY], "bad_request", "Invalid header value", { reason: "header" }));
  }
  return key;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Written by hand, not by our own dial: then it means what it says.
    return text;
  }
}
