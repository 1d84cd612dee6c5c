import { isUtf8 } from "node:buffer";
import { violation } from "@assistant/kit/rules/violation.js";
import { jsonFailure } from "./json-failure.js";
import { type Located, type Refusal, refusalFor } from "./refusal.js";

/** A body as it was read: what it means, and its text for the few questions that the meaning cannot answer. */
export interface Json {
  /** Undefined: the body is empty. */
  readonly value: unknown;
  readonly text: string;
}

/** Reads the bytes of a body: its JSON, or why it is none. Throws a Refusal where they are not even text. */
export function readJson(bytes: Buffer): Json | Located {
  const text = decode(bytes);
  if (isDeeperThan(text, DEPTH_MAX)) throw unreadable("depth");
  if (text === "") return { value: undefined, text };
  try {
    return { value: JSON.parse(text), text };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { offset, reason } = jsonFailure(text);
    return {
      ...violation(["body", String(offset)], "json_invalid", "JSON decode error", { error: reason }),
      input: {},
    };
  }
}

/** Levels of lists and objects in one another; more could not be shown again without exhausting the stack. */
const DEPTH_MAX = 500;

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw unreadable("encoding");
  const text = bytes.toString();
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** Counts brackets outside of strings, so that not even a text that never closes them costs a stack. */
function isDeeperThan(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

function unreadable(reason: "encoding" | "depth"): Refusal {
  const failure = violation(["body"], "bad_request", "There was an error parsing the body", { reason });
  return refusalFor(400, { ...failure, input: null });
}
