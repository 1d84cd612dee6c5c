import type { File } from "@assistant/proto/assistant/common/v1/file.js";
import type { Request } from "express";
import { answerJson } from "./answer.js";
import type { Exchange } from "./exchange.js";
import { readIfNoneMatch } from "./headers.js";
import type { Operation } from "./operation.js";
import type { FileAnswer } from "./route.js";

/** How one request gets the file of a response; throws a Refusal where the request's headers are malformed. */
export function createFileAnswer(
  { route, present }: Operation,
  answer: FileAnswer,
  { request, response }: Exchange,
): (found: object) => void {
  const isKnown = readIfNoneMatch(request.headers["if-none-match"]);
  return (found) => {
    const file = fileOf(found, answer.field);
    const isJson = answer.hasJson && prefersJson(request, file.media_type);
    // Two representations of one thing have tags of their own (RFC 9110, 8.8.1).
    const tag = isJson ? `${file.etag}.json` : file.etag;
    response.setHeader("ETag", `"${tag}"`);
    if (answer.hasJson || answer.isNamedByClient) response.appendHeader("Vary", "Accept");
    if (isKnown(tag)) response.writeHead(304).end();
    else if (isJson) answerJson(response, route.status, present(found));
    else answerBytes(response, file.content, mediaTypeOf(answer, request, file));
  };
}

function fileOf(found: object, field: string): File {
  // `file` takes the names of fields alone that hold one.
  const held = (found as Readonly<Record<string, File | undefined>>)[field];
  if (held === undefined) throw new Error(`the response holds no ${field}`);
  return held;
}

const JSON_TYPE = "application/json";

/** Only who asks for such media gets the bytes: a program that takes anything gets JSON. */
function prefersJson(request: Request, mediaType: string): boolean {
  const choice = request.accepts([JSON_TYPE, mediaType]);
  if (choice !== false) return choice === JSON_TYPE;
  const kind = mediaType.slice(0, mediaType.indexOf("/") + 1);
  return !request.accepts().some((accepted) => accepted.startsWith(kind));
}

function mediaTypeOf({ media, isNamedByClient }: FileAnswer, request: Request, file: File): string {
  if (!isNamedByClient) return file.media_type;
  const choice = request.accepts([...media]);
  return choice === false ? (media.at(-1) ?? file.media_type) : choice;
}

/** Whatever the bytes are, a browser that shows them runs nothing in them and loads nothing for them. */
export const POLICY = "default-src 'none'; sandbox";

function answerBytes(response: Exchange["response"], content: Buffer, mediaType: string): void {
  response.setHeader("Content-Type", mediaType);
  response.setHeader("Content-Length", content.length);
  response.setHeader("Content-Security-Policy", POLICY);
  response.writeHead(200).end(content);
}
