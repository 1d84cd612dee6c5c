import type { Target } from "../format.js";

/** The import filters of the office, by the extension that a format is known by. Undefined: the office does not take it. */
export function importFilter(extension: string): string | undefined {
  return FILTERS.get(extension);
}

/** The extensions of what can become the target. `hasDatabases`: whether the drivers for databases are there. */
export function convertible(target: Target, hasDatabases: boolean): ReadonlySet<string> {
  const extensions = target === "pdf" ? [...FILTERS.keys()] : [...Object.keys(SPREADSHEETS), "dbf"];
  return new Set(extensions.filter((extension) => hasDatabases || extension !== "dbf"));
}

/** Text in columns, read with the options of `reading.ts`. */
export const TABLE_FILTER = "Text - txt - csv (StarCalc)";
/** Needs a package of drivers that is not part of every installation. */
export const DATABASE_FILTER = "dBase";
/** Text as it stands. */
export const TEXT_FILTER = "Text (encoded)";

const TEXTS = {
  docx: "MS Word 2007 XML",
  docm: "MS Word 2007 XML",
  dotx: "MS Word 2007 XML",
  dotm: "MS Word 2007 XML",
  doc: "MS Word 97",
  odt: "writer8",
  ott: "writer8",
  fodt: "OpenDocument Text Flat XML",
  rtf: "Rich Text Format",
  txt: TEXT_FILTER,
  html: "HTML (StarWriter)",
};

const SPREADSHEETS = {
  xlsx: "Calc MS Excel 2007 XML",
  xlsm: "Calc MS Excel 2007 XML",
  xltx: "Calc MS Excel 2007 XML",
  xltm: "Calc MS Excel 2007 XML",
  xlsb: "Calc MS Excel 2007 Binary",
  xls: "MS Excel 97",
  ods: "calc8",
  ots: "calc8",
  fods: "OpenDocument Spreadsheet Flat XML",
  // SpreadsheetML 2003, the only kind of `.xml` that is a table.
  xml: "MS Excel 2003 XML Orcus",
  slk: "SYLK",
};

const PRESENTATIONS = {
  pptx: "Impress MS PowerPoint 2007 XML",
  pptm: "Impress MS PowerPoint 2007 XML",
  ppsx: "Impress MS PowerPoint 2007 XML",
  ppsm: "Impress MS PowerPoint 2007 XML",
  potx: "Impress MS PowerPoint 2007 XML",
  potm: "Impress MS PowerPoint 2007 XML",
  ppt: "MS PowerPoint 97",
  odp: "impress8",
  otp: "impress8",
  fodp: "OpenDocument Presentation Flat XML",
};

const DRAWINGS = {
  odg: "draw8",
  fodg: "OpenDocument Drawing Flat XML",
  svg: "SVG - Scalable Vector Graphics Draw",
  png: "PNG - Portable Network Graphic",
  jpg: "JPG - JPEG",
  gif: "GIF - Graphics Interchange",
  bmp: "BMP - MS Windows",
  webp: "WEBP - WebP",
};

const FILTERS: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ ...TEXTS, ...SPREADSHEETS, ...PRESENTATIONS, ...DRAWINGS }),
  ["dbf", DATABASE_FILTER],
  ["csv", TABLE_FILTER],
  ["tsv", TABLE_FILTER],
]);
