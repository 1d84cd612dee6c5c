import type { Format } from "../format.js";

/** Every format that may be converted, in the order in which people are told of them. No ending belongs to two. */
export const formats: readonly Format[] = [
  format("docx", "Word document", openXml("wordprocessingml.document")),
  format("docm", "Word document with macros", "application/vnd.ms-word.document.macroEnabled.12"),
  format("dotx", "Word template", openXml("wordprocessingml.template")),
  format("dotm", "Word template with macros", "application/vnd.ms-word.template.macroEnabled.12"),
  format("doc", "Word 97-2003 document", "application/msword", ["dot"]),
  format("odt", "OpenDocument text", openDocument("text")),
  format("ott", "OpenDocument text template", openDocument("text-template")),
  format("fodt", "OpenDocument text, flat XML", openDocument("text-flat-xml")),
  format("rtf", "Rich text", ["application/rtf", "text/rtf"]),
  format("txt", "Plain text", "text/plain", ["text", "log", "md"]),
  format("html", "Web page", ["text/html", "application/xhtml+xml"], ["htm", "xhtml"]),
  format("pdf", "PDF document", "application/pdf"),

  format("xlsx", "Excel workbook", openXml("spreadsheetml.sheet")),
  format("xlsm", "Excel workbook with macros", "application/vnd.ms-excel.sheet.macroEnabled.12"),
  format("xlsb", "Excel binary workbook", "application/vnd.ms-excel.sheet.binary.macroEnabled.12"),
  format("xltx", "Excel template", openXml("spreadsheetml.template")),
  format("xltm", "Excel template with macros", "application/vnd.ms-excel.template.macroEnabled.12"),
  format("xls", "Excel 97-2003 workbook", "application/vnd.ms-excel", ["xlt"]),
  format("xml", "Excel 2003 XML workbook", ["application/xml", "text/xml"]),
  format("ods", "OpenDocument spreadsheet", openDocument("spreadsheet")),
  format("ots", "OpenDocument spreadsheet template", openDocument("spreadsheet-template")),
  format("fods", "OpenDocument spreadsheet, flat XML", openDocument("spreadsheet-flat-xml")),
  format("csv", "Comma-separated values", "text/csv"),
  format("tsv", "Tab-separated values", "text/tab-separated-values", ["tab"]),
  format("slk", "SYLK spreadsheet", ["application/x-sylk", "text/spreadsheet"], ["sylk"]),
  format("dbf", "dBASE table", ["application/vnd.dbf", "application/dbase"]),

  format("pptx", "PowerPoint presentation", openXml("presentationml.presentation")),
  format("pptm", "PowerPoint presentation with macros", "application/vnd.ms-powerpoint.presentation.macroEnabled.12"),
  format("potx", "PowerPoint template", openXml("presentationml.template")),
  format("potm", "PowerPoint template with macros", "application/vnd.ms-powerpoint.template.macroEnabled.12"),
  format("ppsx", "PowerPoint slide show", openXml("presentationml.slideshow")),
  format("ppsm", "PowerPoint slide show with macros", "application/vnd.ms-powerpoint.slideshow.macroEnabled.12"),
  format("ppt", "PowerPoint 97-2003 presentation", "application/vnd.ms-powerpoint", ["pot", "pps"]),
  format("odp", "OpenDocument presentation", openDocument("presentation")),
  format("otp", "OpenDocument presentation template", openDocument("presentation-template")),
  format("fodp", "OpenDocument presentation, flat XML", openDocument("presentation-flat-xml")),
  format("odg", "OpenDocument drawing", openDocument("graphics")),
  format("fodg", "OpenDocument drawing, flat XML", openDocument("graphics-flat-xml")),

  format("png", "PNG picture", "image/png"),
  format("jpg", "JPEG picture", "image/jpeg", ["jpeg", "jpe", "jfif"]),
  format("gif", "GIF picture", "image/gif"),
  format("bmp", "Windows bitmap", "image/bmp", ["dib"]),
  format("webp", "WebP picture", "image/webp"),
  format("svg", "SVG picture", "image/svg+xml"),
];

/** The format whose files are named so. `extension` is in lower case, without the dot. */
export function formatOf(extension: string): Format | undefined {
  return byExtension.get(extension);
}

/** The endings of all files of a format. */
export function extensionsOf(format: Format): string[] {
  return [format.extension, ...format.aliases];
}

const byExtension = new Map(
  formats.flatMap((format) => extensionsOf(format).map((extension) => [extension, format] as const)),
);

function format(
  extension: string,
  name: string,
  mediaType: string | readonly [string, ...string[]],
  aliases: readonly string[] = [],
): Format {
  return { extension, aliases, mediaTypes: typeof mediaType === "string" ? [mediaType] : mediaType, name };
}

function openXml(kind: string): string {
  return `application/vnd.openxmlformats-officedocument.${kind}`;
}

function openDocument(kind: string): string {
  return `application/vnd.oasis.opendocument.${kind}`;
}
