import { cutText } from "@assistant/kit/rules/violation.js";
import { isWellFormed } from "./lax.js";

/** Shows what was sent at a place, as far as it may be shown: without secrets, not longer than 1 KiB. */
export type ShowInput = (value: unknown, loc: readonly string[]) => unknown;

/** `secretNames`: names of fields that hold secrets beside those that always do. */
export function createShowInput(secretNames: readonly string[]): ShowInput {
  const secret = new Set([...ALWAYS_SECRET, ...secretNames]);
  return (value, loc) => {
    if (value === undefined) return null;
    return loc.some((name) => secret.has(name)) ? REDACTED : cut(shown(value, secret));
  };
}

const REDACTED = "[redacted]";
const ALWAYS_SECRET = [
  "password",
  "secret",
  "client_secret",
  "token",
  "access_token",
  "refresh_token",
  "private_key",
  "api_key",
  "assertion",
];
const BYTES_MAX = 1_024;

/** Values come from JSON of at most 500 levels, so recursion ends. */
function shown(value: unknown, secret: ReadonlySet<string>): unknown {
  if (typeof value === "string") return isWellFormed(value) ? value : null;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map((element) => shown(element, secret));
  return typeof value === "object" && value !== null ? shownObject(value, secret) : value;
}

function shownObject(value: object, secret: ReadonlySet<string>): object {
  // Without a prototype `__proto__` is a key like any other.
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, entry] of Object.entries(value)) {
    copy[shownText(name)] = secret.has(name) ? REDACTED : shown(entry, secret);
  }
  return copy;
}

/** A name or a tag in `loc`. */
export function shownText(text: string): string {
  return cutText(isWellFormed(text) ? text : text.replaceAll(/\p{Surrogate}/gu, "\ufffd"));
}

function cut(value: unknown): unknown {
  if (typeof value === "string") return cutText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Buffer.byteLength(JSON.stringify(value)) <= BYTES_MAX) return value;
  return Array.isArray(value) ? [] : {};
}
