import { createHash, randomBytes } from "node:crypto";
import { type Keyring, seal, unseal } from "@assistant/kit/database/seal.js";
import type { Client } from "@assistant/kit/wire/call.js";

/** A new refresh token, a prefix to recognise leaked ones by and 256 random bits, and what is stored of it. */
export function newRefreshToken(): { token: string; hash: Buffer } {
  const token = `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64url")}`;
  return { token, hash: digest(token) };
}

/** What is stored of a refresh token; undefined: nobody ever made this one. */
export function refreshTokenHash(token: string): Buffer | undefined {
  return FORM.test(token) ? digest(token) : undefined;
}

/** Tells by whom a token was used from who else may have it. */
export function clientHash(client: Client | undefined): Buffer {
  return digest(JSON.stringify([client?.userAgent ?? "", client?.address ?? ""]));
}

/** Seals the successor of a token, which opens beside that token only. */
export function sealSuccessor(keyring: Keyring, hash: Buffer, successor: string): Buffer {
  return seal(keyring, successor, contextOf(hash));
}

export function openSuccessor(keyring: Keyring, hash: Buffer, sealed: Buffer): string {
  return unseal(keyring, sealed, contextOf(hash)).toString();
}

const PREFIX = "asst_rt_";
const SECRET_BYTES = 32;
const FORM = /^asst_rt_[A-Za-z0-9_-]{43}$/;

// Of something with full entropy a slow hash would hide nothing more.
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function contextOf(hash: Buffer): string[] {
  return ["refresh_tokens", hash.toString("hex"), "", "successor_sealed"];
}
