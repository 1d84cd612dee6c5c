import { describe, expect, test } from "@jest/globals";
import { openBook, readSheets } from "../testing/sheets.js";
import { convertedText } from "../testing/tables.js";

type Cells = readonly unknown[];

/** The cells under the heading of a column of these texts, in a file with a second column of words. */
async function column(texts: readonly string[], delimiter = ";"): Promise<Cells> {
  const lines = texts.map((text) => `"${text}"${delimiter}word`);
  const [sheet] = await readSheets(await convertedText(`heading${delimiter}words\n${lines.join("\n")}\n`));
  return sheet?.rows.slice(1).map(([cell]) => cell) ?? [];
}

function day(text: string): Date {
  return new Date(`${text}Z`);
}

describe("numbers are read as numbers", () => {
  test.each<[string, readonly string[], Cells]>([
    ["whole and with a point", ["0", "-7", "12.50", "999999999999999"], [0, -7, 12.5, 999_999_999_999_999]],
    ["with a decimal comma", ["1,5", "-0,25", "1.234,56", "1.234", "7"], [1.5, -0.25, 1234.56, 1234, 7]],
    ["with thousands parted twice", ["1.234.567", "12"], [1_234_567, 12]],
    ["among words", ["n/a", "12", "total", "-3.5"], ["n/a", 12, "total", -3.5]],
    ["with spaces around them", [" 12", "3 "], [12, 3]],
    ["small, with zeros that are no digits", ["0.000000000012345"], [0.000000000012345]],
  ])("%s", async (_, texts, cells) => expect(await column(texts)).toEqual(cells));
});

describe("a column keeps its texts where a number would not mean the same", () => {
  test.each<[string, readonly string[]]>([
    ["leading zeros", ["01067", "10115"]],
    ["more than 15 digits", ["1234567890123456", "12"]],
    ["more than 15 digits with a point", ["0.1234567890123456", "12"]],
    ["a plus sign", ["+49301234", "301234"]],
    ["exponents", ["1e5", "2E10"]],
    ["points that may part thousands", ["1.234", "950"]],
    ["commas that may part thousands", ["1,234", "950"]],
    ["thousands parted by commas", ["1,234.56", "950"]],
    ["two decimal marks", ["1,5", "1.5"]],
    ["versions and addresses", ["1.2.3", "10.0.0.1"]],
    ["numbers with words in them", ["12 kg", "#3", "NaN", "Infinity", "0x1F", "--1", "-", "."]],
  ])("%s", async (_, texts) => expect(await column(texts)).toEqual(texts));

  test("a decimal comma where commas part columns", async () => {
    expect(await column(["1,5", "2"], ",")).toEqual(["1,5", "2"]);
  });
});

test("a mark that may part thousands is read as another column shows it", async () => {
  const [sheet] = await readSheets(await convertedText("pieces;price\n1.234;0,5\n12.000;1,75\n"));
  expect(sheet?.rows.slice(1)).toEqual([
    [1234, 0.5],
    [12_000, 1.75],
  ]);
});

test("where commas part columns, a point is the decimal mark", async () => {
  expect(await column(["1.234", "950"], ",")).toEqual([1.234, 950]);
});

describe("days and times are read where all cells of the column agree", () => {
  test.each<[string, readonly string[], Cells]>([
    ["ISO days", ["2026-02-28", "2024-02-29"], [day("2026-02-28T00:00"), day("2024-02-29T00:00")]],
    ["days with points", ["28.02.2026", "1.3.2026"], [day("2026-02-28T00:00"), day("2026-03-01T00:00")]],
    [
      "ISO times of days",
      ["2026-02-28T23:59:59", "2026-02-28 00:01"],
      [day("2026-02-28T23:59:59"), day("2026-02-28T00:01")],
    ],
    ["thousandths of seconds", ["2026-02-28 10:00:00.125"], [day("2026-02-28T10:00:00.125")]],
    [
      "days among times of days",
      ["2026-02-28", "2026-02-28 12:00"],
      [day("2026-02-28T00:00"), day("2026-02-28T12:00")],
    ],
    ["times of days with points", ["28.02.2026 14:30"], [day("2026-02-28T14:30")]],
    ["times", ["06:30", "23:59:59"], [day("1899-12-30T06:30"), day("1899-12-30T23:59:59")]],
    ["the first and the last day", ["1900-03-01", "9999-12-31"], [day("1900-03-01T00:00"), day("9999-12-31T00:00")]],
    ["with cells empty", ["2026-02-28", "", " "], [day("2026-02-28T00:00"), null, " "]],
  ])("%s", async (_, texts, cells) => expect(await column(texts)).toEqual(cells));

  test.each<[string, readonly string[]]>([
    ["a day that is none", ["2026-02-29", "2026-02-28"]],
    ["a day before March 1900, which spreadsheets count differently", ["1900-02-28", "2026-02-28"]],
    ["a word among them", ["2026-02-28", "unknown"]],
    ["two ways of writing them", ["2026-02-28", "28.02.2026"]],
    ["an offset", ["2026-02-28T10:00:00Z", "2026-02-28T10:00:00+01:00"]],
    ["more than thousandths", ["2026-02-28T10:00:00.123456"]],
    ["durations", ["36:15", "06:30"]],
    ["days of months first or second", ["02/03/2026"]],
  ])("text with %s", async (_, texts) => expect(await column(texts)).toEqual(texts));
});

describe("percents and truths are read where all cells agree", () => {
  test.each<[string, readonly string[], Cells]>([
    ["percents", ["12%", "0.5 %", "-100%"], [0.12, 0.005, -1]],
    ["percents with a comma", ["12,5%", "7%"], [0.125, 0.07]],
    ["percents among others", ["12%", "0.12"], ["12%", 0.12]],
    ["truths", ["true", "FALSE", "True"], [true, false, true]],
    ["truths among others", ["true", "yes"], ["true", "yes"]],
  ])("%s", async (_, texts, cells) => expect(await column(texts)).toEqual(cells));
});

test("headings and single rows are typed like the rest, if they fit", async () => {
  const [years] = await readSheets(await convertedText("2025,2026\n1,2\n"));
  expect(years?.rows).toEqual([
    [2025, 2026],
    [1, 2],
  ]);
  const [single] = await readSheets(await convertedText("2026-02-28,true,x\n"));
  expect(single?.rows).toEqual([[day("2026-02-28T00:00"), true, "x"]]);
});

test("cells look as they were written", async () => {
  const text =
    "day,at,price,share,id\n2026-02-28,2026-02-28 10:00,12.50,7.5%,123456789012\n2026-03-01,2026-03-01 11:00,3.20,12%,1\n";
  const sheet = (await openBook(await convertedText(text))).worksheets[0];
  const formats = [1, 2, 3, 4, 5].map((column) => sheet?.getRow(2).getCell(column).numFmt);
  expect(formats).toEqual(["yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss", "0.00", "0.0%", "0"]);
});
