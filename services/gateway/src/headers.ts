import { cutText, violation } from "@assistant/kit/rules/violation.js";
import type { IfMatch } from "@assistant/kit/wire/call.js";
import { type Refusal, refusalFor } from "./refusal.js";

/** The token of an `Authorization` header; `tried` says that one was presented, were it as broken as it may. */
export function readBearer(header: string | undefined): {
  readonly token: string | undefined;
  readonly tried: boolean;
} {
  const [, rest] = /^bearer(?:$|[ \t]+)(.*)$/i.exec(header ?? "") ?? [];
  const token = /^[A-Za-z0-9._~+/-]+=*$/.exec(rest?.trim() ?? "")?.[0];
  return { token, tried: rest !== undefined };
}

/** Whether `Prefer` asks to have unknown fields refused (RFC 7240): of preferences given twice the first counts. */
export function isStrict(prefer: string | readonly string[] | undefined): boolean {
  const bare = String(prefer ?? "").replaceAll(/"([^"]*)"/g, (_, text: string) => (TOKEN.test(text) ? text : "-"));
  const preferences = bare.split(",").map((preference) => preference.split(";")[0]?.split("=") ?? []);
  const [, handling = ""] = preferences.find(([name = ""]) => name.trim().toLowerCase() === "handling") ?? [];
  return handling.trim().toLowerCase() === "strict";
}

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** The versions of `If-Match`, without their quotes; throws a Refusal where it is malformed. Other tags match nothing. */
export function readIfMatch(header: string | undefined): IfMatch | undefined {
  if (header === undefined) return undefined;
  const tags = readTags(header);
  if (tags === undefined) throw malformed("if-match", header);
  return tags === "*" ? tags : tags.flatMap(({ weak, value }) => (weak || !VERSION.test(value) ? [] : value));
}

const VERSION = /^[1-9]\d{0,15}$/;

/** Which versions `If-None-Match` says that the client has already; throws a Refusal where it is malformed. */
export function readIfNoneMatch(header: string | undefined): (version: number | string) => boolean {
  if (header === undefined) return () => false;
  const tags = readTags(header);
  if (tags === undefined) throw malformed("if-none-match", header);
  return (version) => tags === "*" || tags.some(({ value }) => value === String(version));
}

/** `Idempotency-Key`; throws a Refusal where it is none. */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = String(header);
  if (key.length < 1 || key.length > 255) throw malformed("idempotency-key", key);
  return key;
}

export function malformed(name: string, input: string | undefined): Refusal {
  const failure = violation(["header", name], "bad_request", "Invalid header value", { reason: "header" });
  return refusalFor(400, { ...failure, input: input === undefined ? null : cutText(input) });
}

interface Tag {
  readonly weak: boolean;
  readonly value: string;
}

/** Entity tags of RFC 9110; undefined: the header is malformed. */
function readTags(header: string): "*" | readonly Tag[] | undefined {
  const text = header.trim();
  if (text === "*") return "*";
  const tags: Tag[] = [];
  // Element by element, each of them read once: one expression for the whole list would try every way to divide its blanks.
  for (let at = 0; at < text.length; at = ELEMENT.lastIndex) {
    ELEMENT.lastIndex = at;
    const element = ELEMENT.exec(text);
    if (element === null) return undefined;
    const [, weak, value] = element;
    if (value !== undefined) tags.push({ weak: weak !== undefined, value });
  }
  return tags.length === 0 ? undefined : tags;
}

/** A tag or nothing, and the comma after it. */
const ELEMENT = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:,|$)|,)/y;
