import type { IncomingMessage, ServerResponse } from "node:http";
import { cutText, violation } from "@assistant/kit/rules/violation.js";
import { type Refusal, refusalFor } from "./refusal.js";

/** No JSON body is larger. */
export const JSON_BYTES_MAX = 2 * 1_024 * 1_024;

/** Whether anything follows the headers. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Whether the headers say how long the body is. */
export function isMeasured({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] === undefined;
}

/** Throws a Refusal where the body says that it is more than we read. */
export function checkLength({ headers }: IncomingMessage, bytesMax = JSON_BYTES_MAX): void {
  if (Number(headers["content-length"] ?? 0) > bytesMax) throw tooLarge(bytesMax);
}

/** Throws a Refusal where the body is of a kind that we do not read. */
export function checkKind(request: IncomingMessage, takesForm: boolean): void {
  checkEncoding(request);
  const type = request.headers["content-type"];
  if (!isJson(type) && !(takesForm && isForm(type))) throw unsupported("content-type", type, "application/json");
}

/** Throws a Refusal where the body is compressed. */
export function checkEncoding({ headers }: IncomingMessage): void {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw unsupported("content-encoding", encoding, "identity");
  }
}

export function isForm(contentType: string | undefined): boolean {
  return /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i.test(contentType ?? "");
}

/** Reads the whole body. Rejects with a Refusal once it is too large, with another error if the client goes away. */
export function readBody(request: IncomingMessage, response: ServerResponse): Promise<Buffer> {
  if (isContinueAwaited(request)) response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = () => {
      request.off("data", take).off("end", finish);
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= JSON_BYTES_MAX) return;
      stop();
      // The rest is let through unread, so that the client gets to see the answer.
      request.resume();
      reject(tooLarge(JSON_BYTES_MAX));
    };
    const finish = () => {
      stop();
      resolve(Buffer.concat(chunks, size));
    };
    request.on("data", take).on("end", finish);
    request.once("error", reject);
    request.once("close", () => reject(new Error("the client went away while it sent the body")));
  });
}

/** Whether the body comes only once it is asked for. */
export function isContinueAwaited({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === "100-continue";
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/(?:json|[!#$&^_.+\w-]+\+json)[ \t]*(?:;|$)/i.test(contentType ?? "");
}

/** Refuses what is more than may be sent at a place. */
export function tooLarge(bytesMax: number, loc: readonly string[] = ["body"]): Refusal {
  const failure = violation(loc, "payload_too_large", "Payload Too Large", { max_bytes: bytesMax });
  return refusalFor(413, { ...failure, input: null });
}

function unsupported(header: string, sent: string | undefined, expected: string): Refusal {
  const failure = violation(["header", header], "unsupported_media_type", "Unsupported Media Type", { expected });
  return refusalFor(415, { ...failure, input: sent === undefined ? null : cutText(sent) });
}
