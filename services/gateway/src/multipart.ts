import type { Readable, Writable } from "node:stream";
import { violation } from "@assistant/kit/rules/violation.js";
import busboy from "busboy";
import { tooLarge } from "./body.js";
import { createDelimiterCount } from "./delimiter-count.js";
import { isRefusal, type Refusal, refusalFor } from "./refusal.js";
import { PARTS_MAX } from "./upload-limits.js";

/** A form of several parts, into which a body flows. */
export interface Multipart {
  readonly parser: Writable;
  /** Is to see all that flows into the parser. */
  see(chunk: Buffer): void;
  /** Throws a Refusal where the body, now at its end, was no such form. */
  finish(): readonly Part[];
}

/** One part of a form. */
export interface Part {
  readonly name: string;
  /** What a part without a file name holds, as much of it as is ever shown; of a file undefined. */
  readonly text: (() => string) | undefined;
}

export interface MultipartOptions {
  readonly contentType: string;
  /** The largest file. */
  readonly bytesMax: number;
  /** Gets every part that has a name of its own and a file name. Its bytes have to be read, or nothing flows any more. */
  onFile(part: { readonly name: string; readonly fileName: string; readonly bytes: Readable }): void;
  onText(name: string): void;
}

/** Throws a Refusal where no boundary is named. */
export function openMultipart({ contentType, bytesMax, onFile, onText }: MultipartOptions): Multipart {
  const boundary = boundaryOf(contentType);
  const parser = busboy({
    // Read once, so that both who look for it look for the same.
    headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
    limits: { fileSize: bytesMax + 1, fieldSize: TEXT_BYTES_MAX, parts: PARTS_MAX + 1 },
    fileHwm: FILE_BUFFER_BYTES,
    // It says that it is full whenever it is not done: nothing is parsed but while it is written to.
    highWaterMark: 1,
    // Browsers write file names as they are; the service that gets them knows what may be in one.
    defParamCharset: "utf8",
    preservePath: true,
  });
  const delimiters = createDelimiterCount(boundary);
  const parts: Part[] = [];
  // Not at once: it tells of parts in the middle of its work, which it does not stop for being destroyed.
  const fail = (error: Refusal) => process.nextTick(() => parser.destroy(error));
  const take = (name: string | undefined, part: Omit<Part, "name">) => {
    if (name === undefined) fail(malformed("multipart"));
    else parts.push({ name, ...part });
    return name;
  };
  parser.on("file", (partName: string | undefined, bytes, { filename: fileName }: { filename: string | undefined }) => {
    // It fails only together with the parser.
    bytes.once("error", () => undefined);
    bytes.once("limit", () => fail(tooLarge(bytesMax, FILE)));
    const name = take(partName, { text: fileName === undefined ? collect(bytes) : undefined });
    if (name === undefined) bytes.resume();
    else if (fileName === undefined) onText(name);
    else onFile({ name, fileName, bytes });
  });
  parser.on("field", (partName: string | undefined, text: string | undefined) => {
    // Of a charset that nobody knows there is no text.
    const name = take(partName, { text: () => text ?? UNREADABLE });
    if (name !== undefined) onText(name);
  });
  parser.once("partsLimit", () => fail(malformed("multipart")));
  return {
    parser,
    see: delimiters.see,
    finish: () => {
      // The parser leaves out parts whose headers it cannot make sense of.
      if (delimiters.count() !== parts.length + 1) throw malformed("multipart");
      return parts;
    },
  };
}

export function isMultipart(contentType: string | undefined): contentType is string {
  return /^multipart\/form-data[ \t]*(?:;|$)/i.test(contentType ?? "");
}

/** Whatever a parser failed with, as a Refusal: it fails over nothing but what it is fed. */
export function refusalOf(error: unknown): Refusal {
  return isRefusal(error) ? error : malformed("multipart", error);
}

/** The one part that is meant, and its place. */
export const FILE_PART = "file";
export const FILE: readonly string[] = ["body", FILE_PART];

/** Longer texts are cut before they are shown. */
const TEXT_BYTES_MAX = 4_096;
const FILE_BUFFER_BYTES = 65_536;
const UNREADABLE = "\ufffd";

/** The boundary in the characters of RFC 2046, 5.1.1. */
function boundaryOf(contentType: string): string {
  const [, quoted, bare] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) throw malformed("boundary");
  return boundary;
}

const BOUNDARY = /;[ \t]*boundary=(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'+.-]{1,70}))[ \t]*(?:;|$)/i;

const MESSAGES = { boundary: "Missing boundary in multipart.", multipart: "Invalid multipart data." };

function malformed(reason: keyof typeof MESSAGES, cause?: unknown): Refusal {
  const failure = violation(["body"], "bad_request", MESSAGES[reason], { reason });
  return Object.assign(refusalFor(400, { ...failure, input: null }), cause === undefined ? {} : { cause });
}

/** The beginning of a text that has the media type of a file. */
function collect(bytes: Readable): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  bytes.on("data", (chunk: Buffer) => {
    if (size < TEXT_BYTES_MAX) chunks.push(chunk.subarray(0, TEXT_BYTES_MAX - size));
    size += chunk.length;
  });
  return () => Buffer.concat(chunks).toString();
}
