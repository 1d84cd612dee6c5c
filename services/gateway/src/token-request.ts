import type { Detail } from "./refusal.js";

/** What is wrong with the form of a token request, in the characters that RFC 6749 leaves to an `error_description`. */
export function whatIsWrong([first]: readonly Detail[]): string | undefined {
  return first && sentenceOf(first).replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "?");
}

function sentenceOf({ type, loc: [part = "", ...names], msg, ctx }: Detail): string {
  if (type === "unsupported_media_type" && names[0] === "content-type") return KINDS;
  if (type === "json_invalid") return "the body is not JSON";
  if (type === "bad_request" && part === "body") return UNREADABLE.get(ctx["reason"]) ?? "the body cannot be read";
  const place = names.length === 0 ? `the ${part}` : names.join(".").slice(0, NAME_LENGTH_MAX);
  return `${place} ${WORDS.get(type) ?? `is wrong: ${msg}`}`;
}

const KINDS = "the body must be application/x-www-form-urlencoded or application/json";
const NAME_LENGTH_MAX = 64;

const UNREADABLE: ReadonlyMap<unknown, string> = new Map([
  ["form", "a field of the body comes twice"],
  ["encoding", "the body is not UTF-8"],
  ["depth", "the body is nested too deeply"],
]);

const WORDS: ReadonlyMap<string, string> = new Map([
  ["missing", "is missing"],
  ["string_type", "must be a string"],
  ["string_unicode", "must be Unicode"],
  ["model_attributes_type", "must be an object"],
  ["extra_forbidden", "is not known here"],
  ["unsupported_media_type", "must be identity"],
]);
