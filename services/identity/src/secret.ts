import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** A new secret for a key: `asst_sk_`, the key's id, 256 random bits, and a checksum that spares us queries. */
export function newSecret(keyId: string): string {
  const body = `${PREFIX}${keyId}_${randomDigits()}`;
  return `${body}_${checksum(body)}`;
}

/** The id of the key that a secret is for; undefined: nobody ever made this one. */
export function keyIdOf(secret: string): string | undefined {
  const [, body, keyId, sum] = SECRET.exec(secret) ?? [];
  return body !== undefined && checksum(body) === sum ? keyId : undefined;
}

/** What the stored fingerprint of a secret is made for. */
export const SECRET_PURPOSE = "service account key";

/** 256 random bits as 43 letters and digits. */
export function randomDigits(): string {
  return base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString("hex")}`), SECRET_DIGITS);
}

/** Six letters and digits at the end of a secret: what nobody ever made is told from it without a query. */
export function checksum(body: string): string {
  return base62(BigInt(crc32(body)), SUM_DIGITS);
}

const PREFIX = "asst_sk_";
const SECRET_BYTES = 32;
const SECRET_DIGITS = 43;
const SUM_DIGITS = 6;
const SECRET = /^(asst_sk_(key_[0-7][0-9a-hjkmnp-tv-z]{25})_[0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function base62(value: bigint, length: number): string {
  let digits = "";
  for (let rest = value; rest > 0n; rest /= 62n) {
    digits = DIGITS.charAt(Number(rest % 62n)) + digits;
  }
  return digits.padStart(length, "0");
}
