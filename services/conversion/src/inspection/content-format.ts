import { fileTypeFromBuffer } from "file-type";
import { compoundFormat } from "./compound-format.js";
import { isDbf } from "./dbf-check.js";
import type { FileWindows } from "./file-windows.js";
import { formatOf } from "./formats.js";
import { packageFormat } from "./package-format.js";
import { checkPdf } from "./pdf-check.js";
import { checkPicture } from "./picture-check.js";
import { textHead } from "./text-content.js";
import { textFormat } from "./text-format.js";
import { checkFlatXml, isFlatXml } from "./xml-format.js";

/**
 * The extension of the format of a file by its content, which has been found sound as far as that goes without an engine;
 * the extension of what nothing here converts, if it is known by its first bytes; else undefined.
 */
export async function contentFormat(windows: FileWindows, nameExtension: string): Promise<string | undefined> {
  const head = await windows.read(0, HEAD_BYTES);
  if (startsWith(head, ZIP) || startsWith(head, EMPTY_ZIP))
    return (await packageFormat(windows)) ?? foreign(head, "zip");
  if (startsWith(head, COMPOUND)) return (await compoundFormat(windows)) ?? foreign(head, "cfb");
  if (startsWith(head, RTF)) return "rtf";
  if (PDF_AT_START.test(head.toString("latin1", 0, PDF_START_BYTES))) return pdf(windows);
  // Text comes before all that has a magic number of few letters: a list of cars begins with BMW, a bitmap with BM.
  const text = await textHead(windows);
  if (text !== undefined) return sound(windows, textFormat(text, nameExtension));
  if (head.toString("latin1", 0, PDF_START_BYTES).includes("%PDF-")) return pdf(windows);
  return binaryFormat(windows, head);
}

/** Enough for the library, and for all fields of a usual dBASE table. */
const HEAD_BYTES = 4_100;
const PDF_START_BYTES = 1_024;

const ZIP = Buffer.from("PK\u0003\u0004", "latin1");
const EMPTY_ZIP = Buffer.from("PK\u0005\u0006", "latin1");
const COMPOUND = Buffer.from("d0cf11e0a1b11ae1", "hex");
const RTF = Buffer.from("{\\rtf", "latin1");
const PDF_AT_START = /^(?:\xef\xbb\xbf)?\s*%PDF-/;

function startsWith(head: Buffer, magic: Buffer): boolean {
  return head.subarray(0, magic.length).equals(magic);
}

async function pdf(windows: FileWindows): Promise<string> {
  await checkPdf(windows);
  return "pdf";
}

async function sound(windows: FileWindows, extension: string): Promise<string> {
  if (isFlatXml(extension)) await checkFlatXml(windows, extension);
  return extension;
}

const PICTURES: Record<string, string> = { png: "png", apng: "png", jpg: "jpg", gif: "gif", bmp: "bmp", webp: "webp" };

async function binaryFormat(windows: FileWindows, head: Buffer): Promise<string | undefined> {
  if (isBareWorkbook(head)) return "xls";
  const type = await fileTypeFromBuffer(head);
  const picture = PICTURES[type?.ext ?? ""];
  if (picture !== undefined) {
    await checkPicture(windows, picture);
    return picture;
  }
  return isDbf(head, windows.sizeBytes) ? "dbf" : foreignExtension(type?.ext);
}

/** The stream of an Excel workbook without its container, as small programs write it: a BOF record of a sheet or book. */
function isBareWorkbook(head: Buffer): boolean {
  if (head.length < 8) return false;
  const isStart = [0x0009, 0x0209, 0x0409, 0x0809].includes(head.readUInt16LE(0));
  return isStart && head.readUInt16LE(2) <= 16 && [0x05, 0x10, 0x20, 0x40, 0x100].includes(head.readUInt16LE(6));
}

async function foreign(head: Buffer, container: string): Promise<string> {
  const type = await fileTypeFromBuffer(head);
  return foreignExtension(type?.ext) ?? container;
}

/** What the library takes for a format of ours has been looked at more closely, and is none. */
function foreignExtension(extension: string | undefined): string | undefined {
  return extension === undefined || formatOf(extension) !== undefined ? undefined : extension;
}
