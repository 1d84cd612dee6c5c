import { tooComplex } from "../faults.js";
import type { FileWindows } from "./file-windows.js";
import { XML_MAX_BYTES } from "./limits.js";
import { pixelCheck } from "./pixel-check.js";
import { isHtml } from "./text-format.js";
import type { XmlDialect } from "./xml-declarations.js";
import { xmlScanner } from "./xml-scanner.js";
import { unpack } from "./zip-content.js";
import type { ZipMember } from "./zip-members.js";

/**
 * Unpacks all that an engine may read, and throws the fault of the first member that is damaged, hostile XML or a
 * picture of too many pixels. What a member is, its bytes say: a document may name its parts as it likes.
 */
export async function checkMembers(
  windows: FileWindows,
  members: readonly ZipMember[],
  family: XmlDialect,
): Promise<void> {
  for (const member of members) {
    const check = memberCheck(member.path, family);
    await unpack(windows, member, (piece) => check.take(piece));
    check.end();
  }
}

interface Check {
  take(piece: Buffer): void;
  end(): void;
}

function memberCheck(path: string, family: XmlDialect): Check {
  let check: Check | undefined;
  return {
    take(piece) {
      check ??= checkOf(path, family, piece);
      check.take(piece);
    },
    end: () => check?.end(),
  };
}

function checkOf(path: string, family: XmlDialect, start: Buffer): Check {
  if (!isXml(start)) return pixelCheck();
  // A web page that a document includes is no XML, however much it looks like that.
  if (/\.x?html?$/i.test(path) && isHtml(start.toString("latin1", 0, PAGE_START_BYTES))) return pixelCheck();
  return xmlCheck(/\.svg$/i.test(path) ? "svg" : family);
}

const PAGE_START_BYTES = 4_096;

function xmlCheck(dialect: XmlDialect): Check {
  const scanner = xmlScanner(dialect);
  let sizeBytes = 0;
  return {
    take(piece) {
      sizeBytes += piece.length;
      if (sizeBytes > XML_MAX_BYTES) throw tooComplex();
      scanner.take(piece);
    },
    end: () => scanner.end(),
  };
}

/** Begins with `<` after spaces and a byte order mark, or may begin so: the scanner tells. */
function isXml(piece: Buffer): boolean {
  const [first = 0, second = 0] = piece;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const isWide = isMarked || (first === 0 && isMarkup(second)) || (second === 0 && isMarkup(first));
  const start = isMarked ? 2 : first === 0xef && second === 0xbb ? 3 : 0;
  for (let at = start; at < piece.length; at += 1) {
    const byte = piece[at] ?? 0;
    if (byte === LESS) return true;
    if (!isMarkup(byte) && !(isWide && byte === 0)) return false;
  }
  return true;
}

const LESS = 0x3c;

function isMarkup(byte: number): boolean {
  return byte === LESS || byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
