import type { FileWindows } from "./file-windows.js";

/** The beginning of a text, as far as is looked at to see what it is; undefined if the file is no text. */
export async function textHead(windows: FileWindows): Promise<string | undefined> {
  const head = await windows.read(0, WINDOW_BYTES);
  const encoding = wideEncoding(head);
  if (encoding === undefined) {
    return (await hasBinary(windows)) ? undefined : head.toString("latin1").replace(/^\xef\xbb\xbf/, "");
  }
  const text = decodeWide(head, encoding);
  return isBinary(Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))) ? undefined : text;
}

type WideEncoding = "utf-16le" | "utf-16be";

const WINDOW_BYTES = 65_536;
/** So many windows are looked at, spread over the file. Whoever reads a text drops what does not belong into one. */
const WINDOWS_MAX = 16;

/** Tab, line ends, form feed and escape are the only control characters that texts have. A NUL is none. */
const TEXT_CONTROLS = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b]);

function isBinary(units: Uint8Array | Uint16Array): boolean {
  for (const unit of units) {
    if (unit >= 0x20 && unit !== 0x7f && unit < 0xfffe) continue;
    if (!TEXT_CONTROLS.has(unit)) return true;
  }
  return false;
}

async function hasBinary(windows: FileWindows): Promise<boolean> {
  const count = Math.min(Math.ceil(windows.sizeBytes / WINDOW_BYTES), WINDOWS_MAX);
  const last = Math.max(0, windows.sizeBytes - WINDOW_BYTES);
  for (let index = 0; index < count; index += 1) {
    const start = count === 1 ? 0 : Math.round((last * index) / (count - 1));
    const bytes = await windows.read(start, WINDOW_BYTES);
    const isLast = index === count - 1;
    if (isBinary(isLast ? withoutEndMark(bytes) : bytes)) return true;
  }
  return false;
}

/** Old programs write a Control-Z, the end of a text to DOS, and fill up with zeros. */
function withoutEndMark(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return bytes[end - 1] === DOS_END ? bytes.subarray(0, end - 1) : bytes;
}

const DOS_END = 0x1a;

/** By the byte order mark, else by where the zeros are: in Western texts every other byte is one. */
function wideEncoding(head: Buffer): WideEncoding | undefined {
  if (head.length < 2) return undefined;
  const mark = head.readUInt16BE(0);
  if (mark === 0xfffe) return "utf-16le";
  if (mark === 0xfeff) return "utf-16be";
  const zeros = [0, 0];
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const many = head.length / 8;
  if (odd > many && even <= odd / 16) return "utf-16le";
  if (even > many && odd <= even / 16) return "utf-16be";
  return undefined;
}

function decodeWide(head: Buffer, encoding: WideEncoding): string {
  const units = head.subarray(0, head.length - (head.length % 2));
  const bytes = encoding === "utf-16le" ? units : Buffer.from(units).swap16();
  const text = bytes.toString("utf16le");
  return text.replace(/^\ufeff/, "");
}
