import { violation } from "@assistant/kit/rules/violation.js";
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

/** Whether `Prefer` asks to have unknown fields refused (RFC 7240). */
export function isStrict(prefer: string | readonly string[] | undefined): boolean {
  if (prefer === undefined) return false;
  return String(prefer)
    .split(",")
    .some((preference) => /^\s*handling\s*=\s*"?strict"?\s*(?:;|$)/i.test(preference));
}

/** The versions of `If-Match`, without their quotes; throws a Refusal where it is malformed. */
export function readIfMatch(header: string | undefined): IfMatch | undefined {
  if (header === undefined) return undefined;
  const tags = readTags(header);
  if (tags === undefined) throw malformed("if-match", header);
  return tags === "*" ? tags : tags.flatMap(({ weak, value }) => (weak ? [] : value));
}

/** Whether `If-None-Match` names this version, so that the client has the answer already. */
export function isKnown(header: string | undefined, version: number): boolean {
  const tags = header === undefined ? undefined : readTags(header);
  return tags === "*" || !!tags?.some(({ value }) => value === String(version));
}

/** `Idempotency-Key`; throws a Refusal where it is none. */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = String(header);
  if (key.length < 1 || key.length > 255) throw malformed("idempotency-key", key);
  return key;
}

export function malformed(name: string, input: string): Refusal {
  const failure = violation(["header", name], "bad_request", "Invalid header value", { reason: "header" });
  return refusalFor(400, { ...failure, input });
}

interface Tag {
  readonly weak: boolean;
  readonly value: string;
}

/** Entity tags of RFC 9110; undefined: the header is malformed. */
function readTags(header: string): "*" | readonly Tag[] | undefined {
  if (header.trim() === "*") return "*";
  const list = /^(?:[ \t]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")?[ \t]*(?:,|$))+$/;
  const tags = [...header.matchAll(/(W\/)?"([^"]*)"/g)];
  if (!list.test(header) || tags.length === 0) return undefined;
  return tags.map(([, weak, value = ""]) => ({ weak: weak !== undefined, value }));
}
