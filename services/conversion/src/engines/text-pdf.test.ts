import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { PDFDocument, PDFRawStream } from "pdf-lib";
import { textPdf } from "./text-pdf.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "assistant-texts-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The lines of each page. */
async function pages(bytes: Buffer | string): Promise<string[][]> {
  const path = join(folder, "input.txt");
  await writeFile(path, bytes);
  const document = await PDFDocument.load(await (await textPdf(path))());
  return document.getPages().map((page) => {
    const contents = page.node.normalizedEntries().Contents?.asArray() ?? [];
    const streams = contents.map((entry) => document.context.lookup(entry));
    const operators = streams.map((stream) => (stream instanceof PDFRawStream ? inflateSync(stream.contents) : ""));
    const shown = operators.join("\n").matchAll(/<([0-9A-F]*)> Tj/g);
    return [...shown].map(([, hex = ""]) => Buffer.from(hex, "hex").toString("latin1"));
  });
}

describe("a text as PDF", () => {
  test("keeps its lines, blanks and tabs, whatever ends a line", async () => {
    expect(await pages("one\r\n\ttwo\n\n  three")).toEqual([["one", "        two", "", "  three"]]);
    expect(await pages("ab\tc\n")).toEqual([["ab      c"]]);
  });

  test("has 60 lines on a page, and one page at least", async () => {
    expect((await pages("x\n".repeat(60))).map(({ length }) => length)).toEqual([60]);
    expect((await pages("x\n".repeat(61))).map(({ length }) => length)).toEqual([60, 1]);
    expect(await pages("\n")).toEqual([[""]]);
  });

  test("is broken after 80 characters, between words if there are any", async () => {
    expect(await pages("x".repeat(80))).toEqual([["x".repeat(80)]]);
    expect(await pages("x".repeat(81))).toEqual([["x".repeat(80), "x"]]);
    expect(await pages(`${"word ".repeat(16)}end`)).toEqual([["word ".repeat(16).trimEnd(), "end"]]);
  });

  test("is read in the encoding that it has", async () => {
    const word = "Größe";
    const wide = Buffer.from(`\ufeff${word}`, "utf16le");
    for (const bytes of [Buffer.from(word), Buffer.from(word, "latin1"), wide, Buffer.from(wide).swap16()]) {
      expect(await pages(bytes)).toEqual([[word]]);
    }
  });

  test.each(["Привет", "日本", "😀", "ł"])("is refused if a letter has no picture: %s", async (word) => {
    await expect(pages(`Hello ${word}`)).rejects.toMatchObject({ why: "unable" });
  });

  test("is refused if it has no end of pages, or of a line", async () => {
    await expect(pages("\n".repeat(300_001))).rejects.toMatchObject({ why: "complex" });
    await expect(pages("x".repeat(1_100_000))).rejects.toMatchObject({ why: "complex" });
  });
});
