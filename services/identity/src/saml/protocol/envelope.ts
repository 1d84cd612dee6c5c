import { refuse } from "./refusal.js";

/** The text of a message that came by the POST binding. */
export function openEnvelope(message: string): string {
  if (message.length > MESSAGE_MAX_CHARS) {
    refuse("too_large");
  }
  return textOf(bytesOf(message));
}

/** How long an encoded message may be; a good one of 2,000 groups takes about half of it. */
export const MESSAGE_MAX_CHARS = 262_144;

/** Base64 without anything that one decoder skips and another reads. RFC 2045 allows for lines. */
export function bytesOf(base64: string): Buffer {
  const digits = base64.replace(/\r?\n/g, "");
  if (digits.length === 0 || digits.length % 4 !== 0 || !BASE64.test(digits)) {
    refuse("encoding");
  }
  return Buffer.from(digits, "base64");
}

/** UTF-8 without anything that would be replaced on reading. */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse("encoding");
  }
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
