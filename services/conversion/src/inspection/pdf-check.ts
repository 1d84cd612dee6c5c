import { corrupt, passwordProtected } from "../faults.js";
import type { FileWindows } from "./file-windows.js";

/**
 * Looks at both ends of a PDF: it must have been written to its end, and not be encrypted. Pages are not counted: a PDF
 * is passed on as it is.
 */
export async function checkPdf(windows: FileWindows): Promise<void> {
  const { sizeBytes } = windows;
  const tailStart = Math.max(0, sizeBytes - TAIL_BYTES);
  const tail = (await windows.read(tailStart, TAIL_BYTES)).toString("latin1");
  const pointer = /^\s{1,8}(\d{1,15})\s/.exec(tail.slice(tail.lastIndexOf("startxref") + "startxref".length));
  if (pointer === null || !tail.includes("%%EOF")) throw corrupt();
  const trailer = await trailerAt(windows, Number(pointer[1]));
  // Where the pointer leads astray readers search the file, and so do we.
  const isEncrypted = trailer === undefined ? await namesEncryption(windows) : ENCRYPTED.test(trailer);
  if (isEncrypted) throw passwordProtected();
}

/** Readers look for the end this far from the last byte, since mail and web servers append to files. */
const TAIL_BYTES = 4_096;
const TRAILER_BYTES = 65_536;
const ROW_BYTES = 20;

/** Either an object of its own or, seldom, a dictionary in place. `/EncryptMetadata` is something else. */
const ENCRYPTED = /\/Encrypt(?:\s{1,8}\d{1,10}\s{1,8}\d{1,5}\s{1,8}R|\s{0,8}<<)/;

/** The dictionary of the last cross-reference table or stream; undefined if there is none at that place. */
async function trailerAt(windows: FileWindows, start: number): Promise<string | undefined> {
  const head = (await windows.read(start, TRAILER_BYTES)).toString("latin1");
  const stream = /^\s{0,8}\d{1,10}\s{1,8}\d{1,5}\s{1,8}obj\b/.exec(head);
  if (stream !== null) return upTo(head, "stream");
  const table = /^\s{0,8}xref\s{1,8}/.exec(head);
  return table === null ? undefined : trailerAfter(windows, start + table[0].length);
}

/** Steps over the rows of a table, which are of one length. */
async function trailerAfter(windows: FileWindows, tableStart: number): Promise<string | undefined> {
  let start = tableStart;
  for (let section = 0; section < SECTIONS_MAX; section += 1) {
    const text = (await windows.read(start, TRAILER_BYTES)).toString("latin1");
    if (/^\s{0,8}trailer/.test(text)) return upTo(text, "startxref");
    const rows = /^\s{0,8}\d{1,10}\s{1,8}(\d{1,10})\s{0,8}?(?:\r\n|\r|\n)/.exec(text);
    if (rows === null) return undefined;
    start += rows[0].length + Number(rows[1]) * ROW_BYTES;
  }
  return undefined;
}

/** A file that was saved often has a section for each object that changed. */
const SECTIONS_MAX = 10_000;

function upTo(text: string, word: string): string {
  const end = text.indexOf(word);
  return end < 0 ? text : text.slice(0, end);
}

async function namesEncryption(windows: FileWindows): Promise<boolean> {
  let before = "";
  for await (const piece of windows.pieces()) {
    const text = before + piece.toString("latin1");
    if (ENCRYPTED.test(text)) return true;
    before = text.slice(-OVERLAP_LENGTH);
  }
  return false;
}

/** Longer than what is searched for. */
const OVERLAP_LENGTH = 64;
