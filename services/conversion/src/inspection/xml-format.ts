import { tooComplex } from "../faults.js";
import type { FileWindows } from "./file-windows.js";
import { XML_MAX_BYTES } from "./limits.js";
import type { XmlDialect } from "./xml-declarations.js";
import { xmlScanner } from "./xml-scanner.js";

/** The extension of the format of an XML document by its root element; undefined if it is none that is known here. */
export function flatXmlFormat(head: string): string | undefined {
  const tag = firstTag(head);
  if (tag === undefined) return undefined;
  const name = /^(?:[\w-]+:)?([\w-]+)/.exec(tag)?.[1];
  if (name === "svg") return "svg";
  if (name === "Workbook" && tag.includes("urn:schemas-microsoft-com:office:spreadsheet")) return "xml";
  const kind = /\smimetype\s*=|:mimetype\s*=/.test(tag) ? OPEN_DOCUMENT_KIND.exec(tag)?.[1] : undefined;
  return name === "document" && kind !== undefined ? FLAT_EXTENSIONS[kind] : undefined;
}

/** Reads a whole document that is one of `flatXmlFormat`. Throws `corrupt` for hostile or unfinished ones. */
export async function checkFlatXml(windows: FileWindows, extension: string): Promise<void> {
  if (windows.sizeBytes > XML_MAX_BYTES) throw tooComplex();
  const scanner = xmlScanner(DIALECTS[extension] ?? "openDocument");
  for await (const piece of windows.pieces()) scanner.take(piece);
  scanner.end();
}

/** Whether `flatXmlFormat` can say so. */
export function isFlatXml(extension: string): boolean {
  return extension in DIALECTS;
}

/**
 * The first tag of a text that begins with one, less its brackets, after declarations, instructions and comments.
 * `<!DOCTYPE html>` counts as one.
 */
export function firstTag(head: string): string | undefined {
  let at = skipSpaces(head, 0);
  while (head[at] === "<") {
    const end = endOf(head, at);
    if (end === undefined) return undefined;
    const isDeclaration = head[at + 1] === "?" || head[at + 1] === "!";
    const isHtmlType = /^<!doctype\s+html/i.test(head.slice(at, at + 32));
    if (!isDeclaration || isHtmlType) return head.slice(at + 1, end - 1);
    at = skipSpaces(head, end);
  }
  return undefined;
}

const DIALECTS: Record<string, XmlDialect> = {
  svg: "svg",
  xml: "spreadsheetMl",
  fodt: "openDocument",
  fods: "openDocument",
  fodp: "openDocument",
  fodg: "openDocument",
};

const OPEN_DOCUMENT_KIND = /["']application\/vnd\.oasis\.opendocument\.([a-z-]+)["']/;
const FLAT_EXTENSIONS: Record<string, string> = {
  text: "fodt",
  spreadsheet: "fods",
  presentation: "fodp",
  graphics: "fodg",
};

function skipSpaces(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

/** Where the piece of markup that begins at `start` is over. */
function endOf(text: string, start: number): number | undefined {
  if (text.startsWith("<!--", start)) return after(text, "-->", start + 4);
  if (text[start + 1] === "?") return after(text, "?>", start);
  const end = text.indexOf(">", start);
  const subset = text.indexOf("[", start);
  const hasSubset = text[start + 1] === "!" && subset >= 0 && subset < end;
  return hasSubset ? after(text, "]", subset, ">") : after(text, ">", start);
}

function after(text: string, mark: string, start: number, second = ""): number | undefined {
  const at = text.indexOf(mark, start);
  if (at < 0) return undefined;
  return second === "" ? at + mark.length : after(text, second, at);
}
