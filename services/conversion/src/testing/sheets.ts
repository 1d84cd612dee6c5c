import { read, utils } from "@e965/xlsx";
import exceljs from "exceljs";

/** A sheet as a reader sees it: values row by row, null where a cell is empty. */
export interface SheetRead {
  readonly name: string;
  readonly rows: readonly (readonly CellRead[])[];
}

export type CellRead = string | number | boolean | Date | null;

/** Reads a workbook with a reader that shares no code with what wrote it; dates are dates. */
export async function readSheets(bytes: Buffer): Promise<SheetRead[]> {
  const book = await openBook(bytes);
  return book.worksheets.map((sheet) => ({
    name: sheet.name,
    rows: Array.from({ length: sheet.rowCount }, (_, at) => {
      const row = sheet.getRow(at + 1);
      return Array.from({ length: row.cellCount }, (_cell, column) => cellRead(row.getCell(column + 1)));
    }),
  }));
}

/** The same with another reader; dates are days since the last day of 1899. */
export function readSheetsAgain(bytes: Buffer): SheetRead[] {
  const book = read(bytes, { cellFormula: true, cellDates: false });
  return book.SheetNames.map((name) => {
    const sheet = book.Sheets[name] ?? {};
    return {
      name,
      rows: utils.sheet_to_json<CellRead[]>(sheet, { header: 1, raw: true, defval: null, blankrows: true }),
    };
  });
}

/** The workbook itself, for looks and merged cells. */
export async function openBook(bytes: Buffer): Promise<exceljs.Workbook> {
  const book = new exceljs.Workbook();
  // The declaration asks for a Buffer of an older @types/node.
  await book.xlsx.load(bytes as unknown as Parameters<typeof book.xlsx.load>[0]);
  return book;
}

function cellRead(cell: exceljs.Cell): CellRead {
  // The cells under a merged one repeat its value.
  if (cell.isMerged && cell.master !== cell) return null;
  const { value } = cell;
  if (value === null || value === undefined) return null;
  if (typeof value === "object" && !(value instanceof Date)) throw new Error(`${cell.address} is no plain value`);
  return value;
}
