import { buffer } from "node:stream/consumers";
import { type Options, ZipFile } from "yazl";

export type Members = readonly (readonly [path: string, content: Buffer | string, options?: Partial<Options>])[];

/** A zip file of these members, in this order. */
export function zipOf(members: Members): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content, options] of members)
    zip.addBuffer(Buffer.from(content), path, { mtime: EPOCH, ...options });
  zip.end();
  return buffer(zip.outputStream as NodeJS.ReadableStream);
}

/** The members of a Word document with this text as the XML of its main part, before all others. */
export function documentMembers(documentXml: Buffer | string = documentOf("<w:p/>")): Members {
  return [
    ["word/document.xml", documentXml],
    ["[Content_Types].xml", CONTENT_TYPES],
    ["_rels/.rels", RELATIONSHIPS],
  ];
}

/** A main part with this in its body. */
export function documentOf(bodyXml: string, doctype = ""): string {
  const xmlns = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
  return `<?xml version="1.0"?>${doctype}<w:document xmlns:w="${xmlns}"><w:body>${bodyXml}</w:body></w:document>`;
}

/** Overwrites two or four bytes of what the central directory says of a member. */
export function lie(zip: Buffer, path: string, field: keyof typeof FIELDS, value: number): Buffer {
  const lying = Buffer.from(zip);
  const [offset, bytes] = FIELDS[field];
  lying.writeUIntLE(value, directoryEntry(zip, path) + offset, bytes);
  return lying;
}

/** What the central directory says of a member. */
export function toldOf(zip: Buffer, path: string, field: keyof typeof FIELDS): number {
  const [offset, bytes] = FIELDS[field];
  return zip.readUIntLE(directoryEntry(zip, path) + offset, bytes);
}

const EPOCH = new Date(Date.UTC(1980, 0, 1));

const FIELDS = {
  flags: [8, 2],
  method: [10, 2],
  crc32: [16, 4],
  packedBytes: [20, 4],
  sizeBytes: [24, 4],
  start: [42, 4],
} as const;
const ENTRY_NAME = 46;

function directoryEntry(zip: Buffer, path: string): number {
  const at = zip.lastIndexOf(path) - ENTRY_NAME;
  if (at < 0 || zip.readUInt32LE(at) !== 0x02014b50) throw new Error(`no entry of ${path}`);
  return at;
}

const MAIN_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
const CONTENT_TYPES = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="${MAIN_TYPE}"/></Types>`;
const RELATIONSHIPS = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`;
