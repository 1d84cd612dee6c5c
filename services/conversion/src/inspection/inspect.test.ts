import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { jpg, png } from "../testing/pictures.js";
import { refusal, sample, verdict } from "../testing/verdict.js";
import { extensionsOf, formatOf, formats } from "./formats.js";

const SAMPLES = [
  ...["letter.odt", "notes.txt", "one-page.doc", "one-page.docx", "one-page.rtf", "page.html", "plain.docm"],
  ...["plain.dotx", "plain.fodg", "plain.fodp", "plain.fodt", "plain.odg", "plain.odp", "plain.otp", "plain.ots"],
  ...["plain.ott", "plain.pdf", "plain.potx", "plain.pptx", "plain.xlsm", "semi-cp1252.csv", "small.fods", "small.ods"],
  ...["small.xls", "small.xlsx", "tab.tsv", "tab-utf16be.txt", "tab-utf16le.csv"],
].map((name) => `formats/${name}`);
const BOOKS = ["formats/book.slk", "formats/book.xls", "formats/book.xlsb", "formats/book.xml"];

function endingOf(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

describe("formats", () => {
  test("have endings of their own", () => {
    const endings = formats.flatMap(extensionsOf);
    expect(new Set(endings).size).toBe(endings.length);
    for (const format of formats) for (const ending of extensionsOf(format)) expect(formatOf(ending)).toBe(format);
    expect(formatOf("exe")).toBeUndefined();
  });
});

describe("a file", () => {
  test.each([...SAMPLES, ...BOOKS])("%s is known by its content, with and without its ending", async (path) => {
    const bytes = await sample(path);
    const ending = endingOf(path);
    expect(await verdict(bytes, path)).toBe(ending);
    expect(await verdict(bytes, `x.${ending.toUpperCase()}`)).toBe(ending);
    const isPlainText = ["csv", "tsv", "txt"].includes(ending);
    expect(await verdict(bytes, "x")).toMatch(isPlainText ? /^(?:csv|tsv|txt)$/ : ending);
  });

  test.each([...SAMPLES, ...BOOKS])("%s is 415 under a name that says something else", async (path) => {
    const bytes = await sample(path);
    const ending = endingOf(path);
    for (const other of ["png", "pdf", "odt", "xlsb"].filter((name) => name !== ending)) {
      const { type, context } = await refusal(bytes, `x.${other}`);
      const detected = String(context["detected"]);
      expect([other, type]).toEqual([other, "unsupported_media_type"]);
      expect(context["expected"]).toContain(detected);
    }
  });

  test("without bytes is empty, whatever its name", async () => {
    for (const name of ["x.docx", "x.csv", "x", "x.exe"]) expect(await verdict("", name)).toBe("file_empty");
  });

  test("of random bytes is 415 under every name", async () => {
    const all = formats.flatMap(extensionsOf);
    for (const ending of [...all, "exe", "zip"]) {
      expect([ending, await verdict(randomBytes(4_096), `x.${ending}`)]).toEqual([ending, "unsupported_media_type"]);
    }
  });

  test("of a kind that nothing converts is 415, with what it is and what would do", async () => {
    const elf = Buffer.concat([Buffer.from("7f454c46", "hex"), Buffer.alloc(2_000)]);
    expect(await refusal(elf, "x.bin")).toMatchObject({
      context: { detected: "elf", expected: formats.flatMap(extensionsOf) },
    });
    expect(await refusal(Buffer.alloc(2_000), "x.docx")).toMatchObject({ context: { detected: null } });
    expect(await refusal(Buffer.from("MZ\u0090\0\u0003\0\0\0", "latin1"), "x.docx")).toMatchObject({
      context: { detected: "exe" },
    });
  });

  test("of plain text is 415 under the names of documents", async () => {
    for (const ending of ["docx", "doc", "odt", "xlsx", "xls", "pptx", "pdf", "png", "rtf", "svg", "fods"]) {
      const { type, context } = await refusal("Dear all,\nnothing of note.\n", `x.${ending}`);
      expect([ending, type, context]).toEqual([
        ending,
        "unsupported_media_type",
        { detected: "txt", expected: ["txt", "text", "log", "md"] },
      ]);
    }
  });
});

describe("a name of old", () => {
  const REPORT = "<html><body><table><tr><td>1</td></tr></table></body></html>";

  test("may hide what reports and newer programs put under it", async () => {
    expect(await verdict(REPORT, "x.xls")).toBe("html");
    expect(await verdict("<style>td{}</style><table><tr><td>1</table>", "x.xls")).toBe("html");
    expect(await verdict("a\tb\n1\t2\n", "x.xls")).toBe("tsv");
    expect(await verdict("a;b\r\n1;2\r\n", "x.xls")).toBe("csv");
    expect(await verdict(await sample("formats/book.xml"), "x.xls")).toBe("xml");
    expect(await verdict(await sample("formats/small.xlsx"), "x.xls")).toBe("xlsx");
    expect(await verdict(await sample("formats/one-page.rtf"), "x.doc")).toBe("rtf");
    expect(await verdict(REPORT, "x.doc")).toBe("html");
    expect(await verdict(await sample("formats/one-page.docx"), "x.doc")).toBe("docx");
    expect(await verdict(await sample("formats/plain.pptx"), "x.ppsx")).toBe("pptx");
  });

  test("hides nothing of another kind", async () => {
    expect(await verdict(await sample("formats/one-page.docx"), "x.xls")).toBe("unsupported_media_type");
    expect(await verdict(await sample("formats/book.xls"), "x.xlsx")).toBe("unsupported_media_type");
    expect(await verdict(await sample("formats/plain.xlsm"), "x.xlsx")).toBe("unsupported_media_type");
    expect(await verdict(REPORT, "x.docx")).toBe("unsupported_media_type");
  });
});

describe("a text", () => {
  test("is what its name says where both are right", async () => {
    for (const [name, format] of [
      ["x.csv", "csv"],
      ["x.tsv", "tsv"],
      ["x.txt", "txt"],
      ["x.md", "txt"],
      ["x.htm", "html"],
    ] as const) {
      expect(await verdict("a,b\n1,2\n", name)).toBe(format);
    }
    expect(await verdict("BMW,Audi\n1,2\n", "x.csv")).toBe("csv");
    expect(await verdict("ID;PRICE\n1;2\n", "x.csv")).toBe("csv");
    expect(await verdict("%PDF- is how they begin", "x.txt")).toBe("file_corrupt");
    expect(await verdict("They begin with %PDF-1.7", "x.txt")).toBe("txt");
  });

  test("without an ending is a page, a table or text by what is in it", async () => {
    expect(await verdict("<!doctype html><p>hello", "x")).toBe("html");
    expect(await verdict("<!-- a --><table><tr><td>1</table>", "x")).toBe("html");
    expect(await verdict("a,b\n1,2\n", "x")).toBe("csv");
    expect(await verdict("a\tb\n1\t2\n", "x")).toBe("tsv");
    expect(await verdict("Dear all,\nnothing of note.\n", "x")).toBe("txt");
  });

  test("a page is no table", async () => {
    expect(await refusal("<html><body>Sign in</body></html>", "export.csv")).toMatchObject({
      context: { detected: "html" },
    });
  });

  test("may be of any encoding, and end as DOS ended texts", async () => {
    expect(await verdict(Buffer.from("Größe;1\r\n", "latin1"), "x.csv")).toBe("csv");
    expect(await verdict(Buffer.from("\ufeffGröße;1\r\n", "utf16le"), "x.csv")).toBe("csv");
    expect(await verdict(Buffer.from("Größe;1\r\n日本;2\r\n", "utf16le").swap16(), "x.csv")).toBe("csv");
    expect(await verdict("a,b\r\n\u001a", "x.csv")).toBe("csv");
    expect(await verdict("a,b\r\n\u001a\0\0\0", "x.csv")).toBe("csv");
  });

  test("has no control characters, at its start, in its middle or at its end", async () => {
    const text = Buffer.alloc(300_000, "a,b\n");
    for (const at of [0, 150_000, 299_000]) {
      const binary = Buffer.from(text);
      binary[at] = 0;
      expect([at, await verdict(binary, "x.csv")]).toEqual([at, "unsupported_media_type"]);
    }
    expect(await verdict(text, "x.csv")).toBe("csv");
  });
});

describe("a picture", () => {
  test("is known, alone", async () => {
    expect(await verdict(png(3, 2), "x.png")).toBe("png");
    expect(await verdict(jpg(), "x.jpeg")).toBe("jpg");
    expect(
      await verdict(Buffer.from("474946383961010001000000002c00000000010001000002024401003b", "hex"), "x.gif"),
    ).toBe("gif");
    expect(await verdict(png(3, 2), "x.jpg")).toBe("unsupported_media_type");
  });
});
