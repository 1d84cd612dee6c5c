import { randomBytes, randomUUID } from "node:crypto";

/** A new W3C trace context; sampling is decided by whoever exports traces, so the flag stays off. */
export function newTraceparent(): string {
  return `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-00`;
}

/** The trace context as it came if it is one, else a new one. */
export function takeTraceparent(text: string | undefined): string {
  return text !== undefined && isTraceparent(text) ? text : newTraceparent();
}

export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}

export function spanIdOf(traceparent: string): string {
  return traceparent.slice(36, 52);
}

/** The request id as it came if it is one we pass on, else a new one. */
export function takeRequestId(text: string | undefined): string {
  return text !== undefined && REQUEST_ID.test(text) ? text : randomUUID();
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

function isTraceparent(text: string): boolean {
  return TRACEPARENT.test(text) && traceIdOf(text) !== "0".repeat(32) && spanIdOf(text) !== "0".repeat(16);
}
