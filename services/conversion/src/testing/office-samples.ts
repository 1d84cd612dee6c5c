import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { expect } from "@jest/globals";
import ExcelJS from "exceljs";
import type { EngineSample } from "./engine-suite.js";
import { readPdf } from "./office.js";
import { png } from "./pictures.js";
import { inTemporaryFile } from "./temporary-file.js";

/** The bytes of a sample; those that are large for what they say are kept packed. */
export function officeSample(name: string): Buffer {
  const bytes = readFileSync(`${FOLDER}${name}`);
  return name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}

/** A file that becomes a PDF with so many pages, on which these texts stand in this order. */
export function printed(name: string, pages: number, ...texts: string[]): EngineSample {
  return {
    name: `${name} to pdf`,
    extension: extensionOf(name),
    target: "pdf",
    bytes: officeSample(name),
    check: (result) => expectPages(result, pages, texts),
  };
}

export async function expectPages(result: Buffer, pages: number, texts: readonly string[]): Promise<void> {
  const pdf = await inTemporaryFile(result, readPdf);
  expect(pdf.pages).toBe(pages);
  const text = pdf.text.replaceAll(/\s+/g, " ");
  let from = 0;
  for (const wanted of texts) {
    expect(text.slice(from)).toContain(wanted);
    from = text.indexOf(wanted, from) + wanted.length;
  }
}

/** A file that becomes a workbook whose first sheet has these values in its first cells, by row. */
export function tabled(name: string, ...rows: unknown[][]): EngineSample {
  return {
    name: `${name} to xlsx`,
    extension: extensionOf(name),
    target: "xlsx",
    bytes: officeSample(name),
    check: async (result) => {
      const sheet = (await workbookOf(result)).worksheets[0];
      expect(sheet?.state).toBe("visible");
      rows.forEach((row, index) => {
        expect(row.map((_, column) => sheet?.getCell(index + 1, column + 1).value)).toEqual(row);
      });
    },
  };
}

export async function workbookOf(bytes: Buffer): Promise<ExcelJS.Workbook> {
  const workbook = new ExcelJS.Workbook();
  // The types of the library are older than those of Node's buffers.
  await workbook.xlsx.load(bytes as unknown as Parameters<typeof workbook.xlsx.load>[0]);
  return workbook;
}

/** A dBASE III table of two columns. `language` is the byte that names its encoding. */
export function database(language: number, rows: readonly (readonly [name: Buffer, amount: string])[]): Buffer {
  const header = Buffer.alloc(32 + 2 * 32 + 1);
  header.set([3, 126, 1, 1]);
  header.writeUInt32LE(rows.length, 4);
  header.writeUInt16LE(header.length, 8);
  header.writeUInt16LE(1 + 20 + 10, 10);
  header[29] = language;
  column(header.subarray(32), "NAME", "C", 20, 0);
  column(header.subarray(64), "AMOUNT", "N", 10, 2);
  header[96] = 0x0d;
  const records = rows.map(([name, amount]) =>
    Buffer.concat([Buffer.from(" "), name, Buffer.alloc(20 - name.length, " "), Buffer.from(amount.padStart(10))]),
  );
  return Buffer.concat([header, ...records, Buffer.from([0x1a])]);
}

function column(target: Buffer, name: string, kind: string, length: number, decimals: number): void {
  target.write(name, 0, "latin1");
  target.write(kind, 11, "latin1");
  target.set([length, decimals], 16);
}

const FOLDER = fileURLToPath(new URL("samples/formats/", import.meta.url));

function extensionOf(name: string): string {
  return name.replace(/\.gz$/, "").split(".").at(-1) ?? "";
}

const TITLE = "Quarterly figures";
const BOOK_ROW = ["code", "date", "datetime", "time", "long_id"];

export const prints: readonly EngineSample[] = [
  printed(
    "one-page.docx",
    1,
    "Meeting summary",
    "Größe, Übersicht, naïve façade, żółć, señor",
    "Column 4",
    "Collect feedback",
  ),
  printed("one-page.doc", 1, "Meeting summary", "smörgåsbord — nine locales", "Item 5"),
  printed("one-page.rtf", 1, "Meeting summary", "żółć", "Prepare rollout"),
  printed("letter.odt", 1, "Meeting summary", "Next steps"),
  ...["text.docm", "text.dotx", "text.ott", "text.fodt"].map((name) => printed(name, 1, TITLE)),
  printed("notes.txt", 4, "1. The quarterly assessment", "120. The quarterly assessment"),
  printed("page.html", 2, "Status Übersicht", "żółć", "Item 14"),
  printed("small.xlsx", 2, "Row 0", "Row 59"),
  ...["small.xls", "small.ods", "small.fods"].map((name) => printed(name, 2, "Row 0", "Row 59")),
  ...["sheet.xlsm", "sheet.xltx", "sheet.ots"].map((name) => printed(name, 1, TITLE, "42", "Größe")),
  printed("book.xlsb", 2, ...BOOK_ROW, "00123"),
  printed("book.xml", 3, ...BOOK_ROW, "00123"),
  printed("book.slk", 1, ...BOOK_ROW, "00123"),
  printed("table-1k.csv", 18, "id date name code amount flag", "1 2026-02-11 Name, 1 00001 473.29 true", "Name, 1000"),
  ...["pptx", "pptm", "potx", "ppsx", "ppt.gz", "odp", "otp", "fodp"].map((end) => printed(`slide.${end}`, 1, TITLE)),
  ...["drawing.odg", "drawing.fodg", "picture.svg"].map((name) => printed(name, 1, TITLE)),
  ...["picture.jpg", "picture.gif", "picture.webp", "picture.bmp.gz"].map((name) => printed(name, 1)),
  {
    name: "a png to pdf",
    extension: "png",
    target: "pdf",
    bytes: png(300, 200),
    check: (pdf) => expectPages(pdf, 1, []),
  },
];

const FIRST_DAY = new Date("2026-01-01T00:00:00.000Z");
export const tables: readonly EngineSample[] = [
  ...["small.ods", "small.xls", "small.fods"].map((name) => tabled(name, [0, "Row 0", expect.any(Number), FIRST_DAY])),
  ...["sheet.xlsm", "sheet.xltx", "sheet.ots"].map((name) => tabled(name, [TITLE], [42, "Größe"])),
  ...["book.xlsb", "book.xml", "book.slk", "book.xls"].map((name) => tabled(name, BOOK_ROW, ["00123"])),
];
