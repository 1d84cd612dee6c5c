import { createHash } from "node:crypto";

/**
 * Whether the workbook stream of an xls file, of which these are the first bytes, is encrypted by a password that somebody
 * must know. Excel encrypts workbooks of which only the structure is protected, too, by a password that every reader
 * knows; those open as if they were not.
 */
export function isLockedWorkbook(head: Buffer): boolean {
  const filePass = filePassOf(head);
  return filePass !== undefined && !isOpenToAll(filePass);
}

const FILEPASS = 0x2f;
const RECORD_HEAD_BYTES = 4;
/** BOF and WRITEPROTECT may come first. */
const RECORDS_BEFORE = 3;

/** The body of the record that says how the rest is encrypted. */
function filePassOf(head: Buffer): Buffer | undefined {
  let at = 0;
  for (let record = 0; record < RECORDS_BEFORE && at + RECORD_HEAD_BYTES <= head.length; record += 1) {
    const end = at + RECORD_HEAD_BYTES + head.readUInt16LE(at + 2);
    if (head.readUInt16LE(at) === FILEPASS) return head.subarray(at + RECORD_HEAD_BYTES, end);
    at = end;
  }
  return undefined;
}

const DEFAULT_PASSWORD = "VelvetSweatshop";
/** Type 1, version 1.1: RC4 with a key of 40 bits, which is what Excel 97 to 2003 take if nobody chooses. */
const RC4_HEAD = Buffer.from([1, 0, 1, 0, 1, 0]);
const RC4_BYTES = RC4_HEAD.length + 48;

/** By the check that [MS-OFFCRYPTO] 2.3.6 has for passwords: a number and its hash, both encrypted. */
function isOpenToAll(filePass: Buffer): boolean {
  if (filePass.length < RC4_BYTES || !filePass.subarray(0, RC4_HEAD.length).equals(RC4_HEAD)) return false;
  const salt = filePass.subarray(6, 22);
  const verifier = rc4(keyOf(DEFAULT_PASSWORD, salt), filePass.subarray(22, 54));
  return md5(verifier.subarray(0, 16)).equals(verifier.subarray(16, 32));
}

/** The key of the first block, by [MS-OFFCRYPTO] 2.3.6.2. */
function keyOf(password: string, salt: Buffer): Buffer {
  const start = md5(Buffer.from(password, "utf16le")).subarray(0, 5);
  const salted = Buffer.concat(Array.from({ length: 16 }, () => Buffer.concat([start, salt])));
  return md5(Buffer.concat([md5(salted).subarray(0, 5), Buffer.alloc(4)]));
}

function md5(bytes: Buffer): Buffer {
  return createHash("md5").update(bytes).digest();
}

/** The OpenSSL that Node has knows this cipher no more. */
function rc4(key: Buffer, bytes: Buffer): Buffer {
  const box = Uint8Array.from({ length: 256 }, (_, at) => at);
  const swap = (a: number, b: number) => {
    [box[a], box[b]] = [box[b] ?? 0, box[a] ?? 0];
  };
  for (let at = 0, other = 0; at < 256; at += 1) {
    other = (other + (box[at] ?? 0) + (key[at % key.length] ?? 0)) & 255;
    swap(at, other);
  }
  let at = 0;
  let other = 0;
  return bytes.map((byte) => {
    at = (at + 1) & 255;
    other = (other + (box[at] ?? 0)) & 255;
    swap(at, other);
    return byte ^ (box[((box[at] ?? 0) + (box[other] ?? 0)) & 255] ?? 0);
  }) as Buffer;
}
