import { passwordProtected } from "../faults.js";
import type { FileWindows } from "./file-windows.js";
import type { XmlDialect } from "./xml-declarations.js";
import { xmlScanner } from "./xml-scanner.js";
import { checkMembers } from "./zip-check.js";
import { unpack } from "./zip-content.js";
import { type ZipMember, zipMembers } from "./zip-members.js";

/**
 * The extension of the format that a zip file holds: an Office Open XML or OpenDocument package; undefined if it is any
 * other zip file. All that an engine may read of it has been unpacked and looked at.
 */
export async function packageFormat(windows: FileWindows): Promise<string | undefined> {
  const members = await zipMembers(windows);
  const isOpenXml = named(members, CONTENT_TYPES) !== undefined;
  const format = isOpenXml ? await openXmlFormat(windows, members) : await openDocumentFormat(windows, members);
  if (format !== undefined) await checkMembers(windows, members, isOpenXml ? "openXml" : "openDocument");
  return format;
}

const CONTENT_TYPES = "[content_types].xml";
const MANIFEST = "meta-inf/manifest.xml";
const MIMETYPE = "mimetype";

/** What the main part of a package is, by its content type, and the extension of the format. */
const MAIN_PARTS: readonly (readonly [string, string])[] = [
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml", "docx"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml", "dotx"],
  ["application/vnd.ms-word.document.macroEnabled.main+xml", "docm"],
  ["application/vnd.ms-word.template.macroEnabledTemplate.main+xml", "dotm"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml", "xlsx"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml", "xltx"],
  ["application/vnd.ms-excel.sheet.macroEnabled.main+xml", "xlsm"],
  ["application/vnd.ms-excel.template.macroEnabled.main+xml", "xltm"],
  ["application/vnd.ms-excel.sheet.binary.macroEnabled.main", "xlsb"],
  ["application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml", "pptx"],
  ["application/vnd.openxmlformats-officedocument.presentationml.template.main+xml", "potx"],
  ["application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml", "ppsx"],
  ["application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml", "pptm"],
  ["application/vnd.ms-powerpoint.template.macroEnabled.main+xml", "potm"],
  ["application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml", "ppsm"],
];
const mainParts = new Map(MAIN_PARTS.map(([type, extension]) => [type.toLowerCase(), extension]));

async function openXmlFormat(windows: FileWindows, members: readonly ZipMember[]): Promise<string | undefined> {
  const types = new Set<string>();
  await readTags(windows, named(members, CONTENT_TYPES), "openXml", (tag) => {
    const type = attribute(tag, "ContentType").toLowerCase();
    if (mainParts.has(type)) types.add(type);
  });
  // A package has one main part. Where it claims several, the engine is told of one kind and reads no other.
  return [...mainParts].find(([type]) => types.has(type))?.[1];
}

const OPEN_DOCUMENT = "application/vnd.oasis.opendocument.";
const OPEN_DOCUMENT_KINDS: Record<string, string> = {
  text: "odt",
  "text-template": "ott",
  spreadsheet: "ods",
  "spreadsheet-template": "ots",
  presentation: "odp",
  "presentation-template": "otp",
  graphics: "odg",
};

/** By the member `mimetype`, else by what the manifest says of the root, for programs that forget the former. */
async function openDocumentFormat(windows: FileWindows, members: readonly ZipMember[]): Promise<string | undefined> {
  if (named(members, MANIFEST) === undefined) return undefined;
  let mediaType = await mimetype(windows, members);
  let isEncrypted = false;
  await readTags(windows, named(members, MANIFEST), "openDocument", (tag) => {
    if (/^(?:[\w-]+:)?encryption-data[\s/]?/.test(tag)) isEncrypted = true;
    if (attribute(tag, "full-path") === "/") mediaType ||= attribute(tag, "media-type");
  });
  const format = mediaType.startsWith(OPEN_DOCUMENT)
    ? OPEN_DOCUMENT_KINDS[mediaType.slice(OPEN_DOCUMENT.length)]
    : undefined;
  if (format !== undefined && isEncrypted) throw passwordProtected();
  return format;
}

async function mimetype(windows: FileWindows, members: readonly ZipMember[]): Promise<string> {
  const member = named(members, MIMETYPE);
  if (member === undefined || member.sizeBytes > MIMETYPE_MAX_BYTES) return "";
  let text = "";
  await unpack(windows, member, (piece) => {
    text += piece.toString("latin1");
  });
  return text.trim();
}

const MIMETYPE_MAX_BYTES = 256;

/** Names of parts are the same in upper case; `path` is in lower case. */
function named(members: readonly ZipMember[], path: string): ZipMember | undefined {
  return members.find((member) => member.path.toLowerCase() === path);
}

async function readTags(
  windows: FileWindows,
  member: ZipMember | undefined,
  dialect: XmlDialect,
  onTag: (tag: string) => void,
): Promise<void> {
  if (member === undefined) return;
  const scanner = xmlScanner(dialect, onTag);
  await unpack(windows, member, (piece) => scanner.take(piece));
  scanner.end();
}

/** The value of an attribute, whatever its namespace is called; empty if it has none. */
function attribute(tag: string, name: string): string {
  const pattern = new RegExp(`\\s(?:[\\w-]+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`);
  const [, inQuotes, inApostrophes] = pattern.exec(tag) ?? [];
  return inQuotes ?? inApostrophes ?? "";
}
