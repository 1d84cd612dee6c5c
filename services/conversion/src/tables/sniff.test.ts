import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { sniffTable, type TableShape } from "./sniff.js";

async function shapeOf(content: string | Buffer, extension = "csv"): Promise<TableShape> {
  const folder = await mkdtemp(join(tmpdir(), "assistant-sniff-"));
  const path = join(folder, `input.${extension}`);
  try {
    await writeFile(path, content);
    return await sniffTable(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test.each<[string, string, string]>([
  ["commas", "a,b,c\n1,2,3\n", ","],
  ["semicolons, though there are more decimal commas", "1,5;2,5;3,5\n1,5;2,5;3,5\n", ";"],
  ["semicolons, though words have commas", "name;town\nA, B, C;x\nD, E;y\n", ";"],
  ["commas, though each row has a semicolon", "a,b;c,d\n1,2;3,4\nx,y;z,w\n", ","],
  ["tabs, though words have commas", "a, b\tc\nd, e\tf\n", "\t"],
  ["bars", "a|b\nc|d\n", "|"],
  ["what is outside quotes", 'a,"x;y;z"\nb,"x;y;z"\n', ","],
  ["commas of rows of different length", "a,b,c\n1,2\n3,4,5,6\n\n7\n", ","],
  ["a comma if there is none", "a\nb\n", ","],
  ["what the first line names", "sep=|\na,b|c\n", "|"],
  ["what the first line names, whatever it is", "sep=^\na,b^c\n", "^"],
])("the delimiter is told by %s", async (_, text, delimiter) => {
  expect((await shapeOf(text)).delimiter).toBe(delimiter);
});

test.each<[string, string, string, string]>([
  ["a table in a txt", "a;b\n1;2\n", "txt", ";"],
  ["prose with a comma in each line", "First, this.\nThen, that.\n", "txt", ""],
  ["prose with tabs here and there", "one\ttwo\nthree\nfour\nfive\n", "txt", ""],
  ["a tsv without tabs", "a\nb\n", "tsv", "\t"],
])("%s has the delimiter that fits", async (_, text, extension, delimiter) => {
  expect((await shapeOf(text, extension)).delimiter).toBe(delimiter);
});

const text = "Grüße;1\nfür;2\n";
const wide = Buffer.from(text, "utf16le");

test.each<[string, Buffer, TableShape["encoding"], number]>([
  ["UTF-8", Buffer.from(text), "utf-8", 0],
  ["UTF-8 with a mark", Buffer.from(`\ufeff${text}`), "utf-8", 3],
  ["UTF-16", wide, "utf-16le", 0],
  ["UTF-16 with a mark", Buffer.concat([Buffer.from([0xff, 0xfe]), wide]), "utf-16le", 2],
  ["UTF-16 the other way round", Buffer.from(wide).swap16(), "utf-16be", 0],
  ["windows-1252", Buffer.from(text, "latin1"), "windows-1252", 0],
  [
    "windows-1252 whose only such byte comes after a megabyte",
    Buffer.from(`${"a;b\n".repeat(300_000)}\xfc`, "latin1"),
    "windows-1252",
    0,
  ],
  ["UTF-8 with characters across all chunks", Buffer.from(`x${"ü".repeat(200_000)}`), "utf-8", 0],
  ["UTF-8 cut in a character", Buffer.from("a;ü").subarray(0, 3), "windows-1252", 0],
  ["UTF-8 with a stray NUL", Buffer.from(`${text}\0${text}`), "utf-8", 0],
])("the encoding is found: %s", async (_, bytes, encoding, bomBytes) => {
  expect(await shapeOf(bytes)).toMatchObject({ encoding, bomBytes });
});
