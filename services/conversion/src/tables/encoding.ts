import { isUtf8 } from "node:buffer";
import { open } from "node:fs/promises";
import { fileChunks } from "./file-chunks.js";

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

export interface EncodingFound {
  readonly encoding: Encoding;
  /** How many bytes the byte order mark takes; 0 without one. */
  readonly bomBytes: number;
}

/** Byte order mark, then the NULs of UTF-16, then strict UTF-8 over the whole file, else windows-1252. */
export async function findEncoding(path: string): Promise<EncodingFound> {
  const start = await fileStart(path, WINDOW_BYTES);
  const marked = boms.find(({ bytes }) => start.subarray(0, bytes.length).equals(bytes));
  if (marked !== undefined) return { encoding: marked.encoding, bomBytes: marked.bytes.length };
  const encoding = wideEncoding(start) ?? ((await isStrictUtf8(path)) ? "utf-8" : "windows-1252");
  return { encoding, bomBytes: 0 };
}

/** The first bytes of a file; fewer where it is shorter. */
export async function fileStart(path: string, sizeBytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sizeBytes), 0, sizeBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const WINDOW_BYTES = 64 * 1024;

const boms: readonly { readonly encoding: Encoding; readonly bytes: Buffer }[] = [
  { encoding: "utf-8", bytes: Buffer.from([0xef, 0xbb, 0xbf]) },
  { encoding: "utf-16le", bytes: Buffer.from([0xff, 0xfe]) },
  { encoding: "utf-16be", bytes: Buffer.from([0xfe, 0xff]) },
];

/** Digits, separators and Latin letters have one NUL each in UTF-16, always on the same side. */
function wideEncoding(start: Buffer): Encoding | undefined {
  const nuls = [0, 0];
  for (let at = start.indexOf(0); at !== -1; at = start.indexOf(0, at + 1)) {
    nuls[at % 2] = (nuls[at % 2] ?? 0) + 1;
  }
  const [even = 0, odd = 0] = nuls;
  // A few stray NULs in a text of single bytes are no pattern.
  if (even + odd < start.length / 20) return undefined;
  if (odd > 4 * even) return "utf-16le";
  return even > 4 * odd ? "utf-16be" : undefined;
}

async function isStrictUtf8(path: string): Promise<boolean> {
  let rest = Buffer.alloc(0);
  for await (const chunk of fileChunks(path)) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = bytes.length - unfinishedBytes(bytes);
    if (!isUtf8(bytes.subarray(0, whole))) return false;
    rest = Buffer.from(bytes.subarray(whole));
  }
  return rest.length === 0;
}

/** How many bytes at the end begin a character that the next chunk may finish. */
function unfinishedBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return back < sequenceBytes(byte) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

function sequenceBytes(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
