import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { extensionOf, resultName } from "./file-name.js";

describe("the ending of a name", () => {
  test.each([
    ["report.docx", "docx"],
    ["REPORT.DOCX", "docx"],
    ["archive.tar.gz", "gz"],
    ["invoice.pdf.docx", "docx"],
    ["../../x.docx", "docx"],
    ["C:\\Users\\me\\x.xlsx", "xlsx"],
    ["report.docx. . ", "docx"],
    ["README", ""],
    ["Meeting 12.30", ""],
    ["notes.", ""],
    ["a.b/c", ""],
    [".docx", "docx"],
    ["cod.\u202excod", "xcod"],
    ["x.do\ncx", "docx"],
    ["x.datei\u00e4", ""],
    ["", ""],
  ])("of %j is %j", (name, extension) => {
    expect(extensionOf(name)).toBe(extension);
  });
});

describe("the name of a result", () => {
  test.each([
    ["report.docx", "report.pdf"],
    ["invoice.pdf.docx", "invoice.pdf.pdf"],
    ["../../x.docx", "x.pdf"],
    ["..\\..\\x.docx", "x.pdf"],
    ["/etc/passwd", "passwd.pdf"],
    ['say "hello".docx', 'say "hello".pdf'],
    ["two\r\nSet-Cookie: a=b.docx", "twoSet-Cookie: a=b.pdf"],
    ["invoice\u202excod.docx", "invoicexcod.pdf"],
    ["half\ud800.docx", "half.pdf"],
    ["nul\u0000.docx", "_nul.pdf"],
    ["con.txt.docx", "_con.txt.pdf"],
    ["COM1.docx", "_COM1.pdf"],
    ["console.docx", "console.pdf"],
    ["README", "README.pdf"],
    ["Meeting 12.30", "Meeting 12.30.pdf"],
    ["notes. . .docx", "notes.pdf"],
    ["Prüfbericht 日本.docx", "Prüfbericht 日本.pdf"],
    [".docx", "file.pdf"],
    ["...", "file.pdf"],
    ["", "file.pdf"],
    ["folder/", "file.pdf"],
  ])("of %j is %j", (name, result) => {
    expect(resultName(name, "pdf")).toBe(result);
  });

  test("has at most 150 characters, the last of them whole", () => {
    const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}";
    expect(resultName(`${"a".repeat(300)}.docx`, "xlsx")).toBe(`${"a".repeat(144)}.xlsx`);
    expect(resultName(`${"a".repeat(140)}${family}.docx`, "xlsx")).toBe(`${"a".repeat(140)}.xlsx`);
    expect(resultName(`${"e\u0301".repeat(300)}.docx`, "pdf")).toBe(`${"e\u0301".repeat(72)}.pdf`);
  });

  test("is harmless whatever the name", () => {
    const names = fc.oneof(
      fc.string({ unit: "binary", maxLength: 400 }),
      fc.string({ unit: "grapheme", maxLength: 400 }),
    );
    fc.assert(
      fc.property(names, (name) => {
        const result = resultName(name, "pdf");
        expect(result.length).toBeLessThanOrEqual(150);
        expect(result).toMatch(/^[^\p{Cc}\p{Surrogate}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069/\\]+\.pdf$/u);
        expect(result).not.toMatch(/[. ]\.pdf$/);
      }),
    );
  });
});
