import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { CellRead } from "../testing/sheets.js";
import { readSheets, readSheetsAgain } from "../testing/sheets.js";
import { converted } from "../testing/tables.js";

interface Written {
  readonly delimiter: string;
  readonly newline: string;
  readonly encode: (text: string) => Buffer;
}

const delimiters = fc.constantFrom(",", ";", "\t", "|");
const newlines = fc.constantFrom("\n", "\r\n", "\r");

// Any characters, the awkward ones often, and all that looks like a value.
const awkward = fc.constantFrom(
  '"',
  '""',
  "\n",
  "\r\n",
  ",",
  ";",
  "\t",
  "|",
  "=1+1",
  "_x0041_",
  " ",
  "&<>",
  "\u0001",
  "\ud83d\ude00",
  "\ufeff",
);
const valueLike = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.stringMatching(/^[-+]?[0-9.,]{1,18}%?$/),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
  fc.constantFrom("true", "FALSE", "28.02.2026", "12:30", "007"),
);
const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.array(awkward, { maxLength: 5 }).map((parts) => parts.join("")),
  valueLike,
);

const unicode = { text: anyText, encodings: fc.constantFrom(utf8, utf8WithMark, utf16leWithMark, utf16beWithMark) };
// A letter beyond ASCII followed by none is never UTF-8 by chance.
const latin = {
  text: fc.oneof(fc.stringMatching(/^([a-z ,;"]|[à-ÿ][a-z]){0,8}$/), valueLike),
  encodings: fc.constantFrom(windows1252),
};
const ascii = {
  text: fc.oneof(fc.stringMatching(/^[ -~]{0,8}$/), valueLike),
  encodings: fc.constantFrom(utf16le, utf16be),
};

test.each([
  ["Unicode", unicode],
  ["windows-1252", latin],
  ["UTF-16 without a mark", ascii],
])("whatever is written comes back, as text or as the value that it means: %s", async (_, { text, encodings }) => {
  const rows = fc
    .integer({ min: 2, max: 4 })
    .chain((columns) =>
      fc.array(fc.array(text, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 8 }),
    );
  const written = fc.record({ delimiter: delimiters, newline: newlines, encode: encodings });
  await fc.assert(
    fc.asyncProperty(rows, written, async (table, how) => {
      const heading = table[0]?.map((_cell, at) => `Ä heading ${at}`) ?? [];
      const bytes = await converted({ extension: "csv", bytes: how.encode(csv([heading, ...table], how)) });
      const [sheet] = readSheetsAgain(bytes);
      const [other] = await readSheets(bytes);
      for (const [row, cells] of table.entries()) {
        for (const [column, original] of cells.entries()) {
          expectMeaning(other?.rows[row + 1]?.[column] ?? null, sheet?.rows[row + 1]?.[column] ?? null, kept(original));
        }
      }
    }),
    { numRuns: 60 },
  );
});

/** One reader knows dates, the other the escapes of characters: both must agree on what else there is. */
function expectMeaning(value: CellRead, again: CellRead, original: string): void {
  if (value instanceof Date) {
    expect([isoDay(value), germanDay(value), value.toISOString().slice(11, 16)]).toContain(original.trim());
  } else if (typeof value === "number") {
    expect(value).toBe(again);
    const numeral = original.trim();
    expect(meanings(numeral)).toContain(value);
    expect(numeral).not.toMatch(/^-?0\d|^\+/);
  } else if (typeof value === "boolean") {
    expect(String(value)).toBe(original.trim().toLowerCase());
  } else {
    expect(again ?? "").toBe(original);
  }
}

/** Exactly what a numeral may mean, with a point, a comma, or a percent sign. */
function meanings(numeral: string): number[] {
  const plain = numeral.replace(/ ?%$/, "");
  const numbers = [Number(plain), Number(plain.replaceAll(".", "").replace(",", "."))];
  return numeral === plain ? numbers : numbers.map((number) => Number(`${number}e-2`));
}

function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function germanDay(date: Date): string {
  return isoDay(date).split("-").reverse().join(".");
}

function kept(text: string): string {
  return text.replaceAll("\u0001", "").replace(/\r\n?/g, "\n");
}

function csv(rows: readonly (readonly string[])[], { delimiter, newline }: Written): string {
  return rows.map((row) => row.map(quoted).join(delimiter) + newline).join("");
}

function quoted(text: string): string {
  return /[",;\t|\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function utf8(text: string): Buffer {
  return Buffer.from(text);
}

function utf8WithMark(text: string): Buffer {
  return utf8(`\ufeff${text}`);
}

function utf16le(text: string): Buffer {
  return Buffer.from(text, "utf16le");
}

function utf16leWithMark(text: string): Buffer {
  return utf16le(`\ufeff${text}`);
}

function utf16be(text: string): Buffer {
  return utf16le(text).swap16();
}

function utf16beWithMark(text: string): Buffer {
  return utf16be(`\ufeff${text}`);
}

function windows1252(text: string): Buffer {
  return Buffer.from(text, "latin1");
}
