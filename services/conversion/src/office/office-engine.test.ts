import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Target } from "../format.js";
import { formats } from "../inspection/formats.js";
import { faultOf, testEngine } from "../testing/engine-suite.js";
import { openJob } from "../testing/jobs.js";
import { OFFICE_START_MS, officeMissing, openTestOffice, type TestOffice } from "../testing/office.js";
import { database, expectPages, officeSample, prints, tables, workbookOf } from "../testing/office-samples.js";

const missing = officeMissing();
const title = missing === undefined ? "the office" : `the office (skipped: ${missing})`;
const noise = Buffer.from(Array.from({ length: 9_000 }, (_, index) => (index * 7919 + (index >> 3) * 104_729) % 251));
const [first, ...rest] = [...prints, ...tables];
if (first === undefined) throw new Error("there are samples");

testEngine({
  title,
  skipped: missing !== undefined,
  open: () => openTestOffice({ slots: 2 }),
  samples: [first, ...rest],
  broken: [
    ...["docx", "doc", "odt", "fodt", "pptx", "ppt", "odp", "png", "svg"].map((extension) => broken(extension, "pdf")),
    ...["xlsx", "xls", "xlsb", "ods", "fods"].map((extension) => broken(extension, "xlsx")),
    { extension: "docx", target: "pdf", bytes: Buffer.from("plain text, whatever its name says") },
    { extension: "docx", target: "pdf", bytes: officeSample("one-page.docx").subarray(0, 7_000) },
  ],
});

function broken(extension: string, target: Target) {
  return { extension, target, bytes: noise };
}

(missing === undefined ? describe : describe.skip)(`${title}, of its own`, () => {
  let office: TestOffice;
  beforeAll(async () => {
    office = await openTestOffice();
  }, OFFICE_START_MS);
  afterAll(async () => {
    expect(await office.end()).toEqual([]);
  });

  const made = async (extension: string, target: Target, bytes: Buffer) => {
    const job = await openJob({ extension, target, bytes });
    const result = await office.convert(job);
    const content = await readFile(result.path);
    await job.end();
    return { content, result };
  };

  test("takes every format but finished PDFs to pdf, and every one with sheets to xlsx but those read as tables", () => {
    const all = formats.map(({ extension }) => extension).filter((extension) => extension !== "pdf");
    expect([...office.takes("pdf")].sort()).toEqual(all.sort());
    const sheets = ["dbf", "fods", "ods", "ots", "slk", "xls", "xlsb", "xlsm", "xlsx", "xltm", "xltx", "xml"];
    expect([...office.takes("xlsx")].sort()).toEqual(sheets);
  });

  test("says which office it is, and where the time went", async () => {
    expect(office.version).toMatch(/^LibreOffice [\d.]+$/);
    const { result } = await made("docx", "pdf", officeSample("one-page.docx"));
    expect(result.timings.map(({ step }) => step)).toEqual(["queue", "load", "export"]);
  });

  test.each(["../hostile/locked.odt", "../hostile/locked.xls", "../hostile/locked.doc"])(
    "says of %s that it is password protected",
    async (name) => {
      const job = await openJob({ extension: name.slice(-3), target: "pdf", bytes: officeSample(name) });
      const fault = await faultOf(office.convert(job));
      expect(fault.violations).toEqual([expect.objectContaining({ type: "file_password_protected" })]);
      await job.end();
    },
  );

  test.each([
    ["UTF-8", Buffer.from("Straße;Größe;00123\n")],
    ["UTF-8 with byte order mark", Buffer.from("\ufeffStraße;Größe;00123\n")],
    ["UTF-16", Buffer.from("\ufeffStraße;Größe;00123\n", "utf16le")],
    ["windows-1252", Buffer.from("Straße;Größe;00123\n", "latin1")],
    ["UTF-8 with a line that names the delimiter", Buffer.from("sep=;\nStraße;Größe;00123\n")],
  ])("prints a table in %s as it is written", async (_, bytes) => {
    const { content } = await made("csv", "pdf", bytes);
    await expectPages(content, 1, ["Straße Größe 00123"]);
  });

  test("prints what looks like a formula, a date or a number as it is written", async () => {
    const { content } = await made("csv", "pdf", Buffer.from("a,b,c,d\n=1+1,1/2,12345678901234567890,1.10\n"));
    await expectPages(content, 1, ["=1+1 1/2 12345678901234567890 1.10"]);
  });

  test("reads a text in windows-1252", async () => {
    const { content } = await made("txt", "pdf", Buffer.from("Grüße: 5 \x80\n", "latin1"));
    await expectPages(content, 1, ["Grüße: 5 €"]);
  });

  test("reads a page in UTF-8 that does not say so", async () => {
    const { content } = await made("html", "pdf", Buffer.from("<p>Grüße, żółć</p>"));
    await expectPages(content, 1, ["Grüße, żółć"]);
  });

  test("fits a wide sheet to the width of a page instead of cutting it", async () => {
    const cells = Array.from({ length: 30 }, (_, index) => `column ${index + 1}`);
    const { content } = await made("csv", "pdf", Buffer.from(`${cells.join(",")}\n`));
    await expectPages(content, 1, ["column 1 ", "column 30"]);
  });

  test.each([
    ["a column", `${"x,".repeat(16_384)}x\n`],
    ["a character of a cell", `a,b\n${"x".repeat(32_768)},1\n`],
    ["a row", "x\n".repeat(1_048_577)],
  ])("leaves no table's rest out: with %s too many it is refused", async (_what, text) => {
    const job = await openJob({ extension: "csv", target: "pdf", bytes: Buffer.from(text) });
    const fault = await faultOf(office.convert(job));
    expect(fault.violations).toEqual([expect.objectContaining({ type: "sheet_limit_exceeded" })]);
    await job.end();
  });

  test.each([
    [0x03, Buffer.from("Größe", "latin1")],
    [0x02, Buffer.from([0x47, 0x72, 0x94, 0xe1, 0x65])],
  ])("reads a database whose encoding is 0x0%d", async (language, name) => {
    const { content } = await made("dbf", "xlsx", database(language, [[name, "42.50"]]));
    const sheet = (await workbookOf(content)).getWorksheet("Sheet1");
    expect([sheet?.getRow(1).values, sheet?.getRow(2).values]).toEqual([
      [undefined, "NAME", "AMOUNT"],
      [undefined, "Größe", 42.5],
    ]);
  });

  test("names the sheet of a file that has no name for it", async () => {
    const { content } = await made("slk", "xlsx", officeSample("book.slk"));
    expect((await workbookOf(content)).worksheets.map(({ name }) => name)).toEqual(["Sheet1"]);
  });
});
