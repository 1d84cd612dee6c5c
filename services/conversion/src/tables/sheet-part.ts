import { cellValue } from "./cell-value.js";
import { GENERAL } from "./column.js";
import { columnName } from "./column-name.js";
import type { Looks } from "./looks.js";
import type { Row } from "./row.js";
import type { Merge, Sheet } from "./sheet.js";
import type { ProfiledColumn } from "./table-profile.js";
import { escaped } from "./xml-text.js";

/** The XML of a sheet, piece by piece: memory does not grow with its rows. */
export async function* sheetPart(sheet: Sheet, looks: Looks): AsyncGenerator<Buffer> {
  const { columns } = sheet.table.profile;
  const writers = columns.map((column, index) => cellWriter(column, columnName(index), looks));
  let xml = sheetStart(sheet);
  let number = 0;
  for await (const rows of sheet.rows()) {
    for (const row of rows) {
      number += 1;
      xml += rowXml(row, number, writers);
      if (xml.length < PIECE_CHARACTERS) continue;
      yield Buffer.from(xml);
      xml = "";
    }
  }
  yield Buffer.from(`${xml}</sheetData>${mergesXml(sheet)}${SHEET_END}`);
}

const PIECE_CHARACTERS = 64 * 1024;
const NARROWEST = 9;
const WIDEST = 60;
const SPACE = 32;
const SHEET_END =
  '<pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/></worksheet>';

function sheetStart({ table, rowCount }: Sheet): string {
  const { columns } = table.profile;
  const last = `${columnName(Math.max(columns.length, 1) - 1)}${Math.max(rowCount, 1)}`;
  const widths = columns.map(({ longest }, index) => {
    const width = Math.min(Math.max(longest + 2, NARROWEST), WIDEST);
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`;
  });
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
    `<dimension ref="${last === "A1" ? last : `A1:${last}`}"/>` +
    `<sheetFormatPr defaultRowHeight="15"/>${widths.length > 0 ? `<cols>${widths.join("")}</cols>` : ""}<sheetData>`
  );
}

function rowXml({ texts, columns, headers }: Row, number: number, writers: readonly CellWriter[]): string {
  let cells = "";
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] ?? "";
    if (text === "") continue;
    const column = columns?.[index] ?? index;
    cells += writers[column]?.(text, number, headers?.[index] ?? false) ?? "";
  }
  return cells === "" ? "" : `<row r="${number}">${cells}</row>`;
}

type CellWriter = (text: string, row: number, isHeader: boolean) => string;

/** A formula is never written: what begins like one is text. */
function cellWriter({ reading, format }: ProfiledColumn, column: string, looks: Looks): CellWriter {
  const type = reading.as === "boolean" ? ' t="b"' : "";
  const valueLooks = [looks.index(format, false, false), looks.index(format, true, false)].map(lookAttribute);
  return (text, row, isHeader) => {
    const value = reading.as === "text" ? undefined : cellValue(text, reading);
    const start = `<c r="${column}${row}"`;
    if (value !== undefined) return `${start}${valueLooks[isHeader ? 1 : 0] ?? ""}${type}><v>${value}</v></c>`;
    const hasLines = text.includes("\n");
    const look = lookAttribute(looks.index(GENERAL, isHeader, hasLines));
    const space = hasLines || isPadded(text) ? ' xml:space="preserve"' : "";
    return `${start}${look} t="inlineStr"><is><t${space}>${escaped(text)}</t></is></c>`;
  };
}

/** White space at an end of a text is dropped by readers, unless they are told to keep it. */
function isPadded(text: string): boolean {
  return text.charCodeAt(0) <= SPACE || text.charCodeAt(text.length - 1) <= SPACE;
}

function lookAttribute(index: number): string {
  return index === 0 ? "" : ` s="${index}"`;
}

/** Those that lie whole within the sheet. */
function mergesXml({ table, firstRow, rowCount }: Sheet): string {
  const within = table.merges.filter(({ top, bottom }) => top >= firstRow && bottom < firstRow + rowCount);
  if (within.length === 0) return "";
  return `<mergeCells count="${within.length}">${within.map((merge) => mergeXml(merge, firstRow)).join("")}</mergeCells>`;
}

function mergeXml({ top, left, bottom, right }: Merge, firstRow: number): string {
  return `<mergeCell ref="${columnName(left)}${top - firstRow + 1}:${columnName(right)}${bottom - firstRow + 1}"/>`;
}
