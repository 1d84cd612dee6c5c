import { describe, expect, test } from "@jest/globals";
import { sample, verdict } from "../testing/verdict.js";
import { documentMembers, documentOf, type Members, zipOf } from "../testing/zip-files.js";

const XXE = `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>`;
const LAUGHS = `<!DOCTYPE r [<!ENTITY a "ha">${"bcdefghij".replace(/./g, (name) => {
  const before = String.fromCharCode(name.charCodeAt(0) - 1);
  return `<!ENTITY ${name} "${`&${before};`.repeat(10)}">`;
})}]>`;
const DEEP = "<w:r>".repeat(30_000) + "</w:r>".repeat(30_000);

function withDocument(xml: string): Promise<Buffer> {
  return zipOf(documentMembers(xml));
}

async function odt(contentXml: string, manifestXml = MANIFEST): Promise<Buffer> {
  const members: Members = [
    ["mimetype", "application/vnd.oasis.opendocument.text", { compress: false }],
    ["content.xml", contentXml],
    ["META-INF/manifest.xml", manifestXml],
  ];
  return zipOf(members);
}

const MANIFEST = `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/></manifest:manifest>`;

describe("XML in a Word document", () => {
  test.each([
    ["files as entities", documentOf("<w:t>&x;</w:t>", XXE)],
    ["a billion laughs", documentOf("<w:t>&j;</w:t>", LAUGHS)],
    ["30,000 elements within each other", documentOf(DEEP)],
    ["an end before its end", documentOf("").slice(0, -5)],
    ["a document type elsewhere", documentOf("", `<!DOCTYPE r SYSTEM "http://example.com/x.dtd">`)],
  ])("with %s is corrupt", async (_, xml) => {
    expect(await verdict(await withDocument(xml), "x.docx")).toBe("file_corrupt");
  });

  test("is looked at in every member, under whatever name and in whatever encoding", async () => {
    for (const path of ["word/other.bin", "word/notes.html", "customXml/item1.xml", "word/media/image1.svg"]) {
      const hidden = await zipOf([...documentMembers(), [path, `<r>${DEEP}</r>`]]);
      expect([path, await verdict(hidden, "x.docx")]).toEqual([path, "file_corrupt"]);
    }
    const wide = Buffer.from(`\ufeff${documentOf("", XXE)}`, "utf16le");
    expect(await verdict(await zipOf(documentMembers(wide)), "x.docx")).toBe("file_corrupt");
    const spaced = `${" ".repeat(300_000)}<r>${DEEP}</r>`;
    expect(await verdict(await zipOf([...documentMembers(), ["a.bin", spaced]]), "x.docx")).toBe("file_corrupt");
  });

  test("does not have to be XML where it is a web page that the document includes", async () => {
    const page = `<!DOCTYPE html><html><body><p>one<br>two</body></html>`;
    expect(await verdict(await zipOf([...documentMembers(), ["word/afchunk.htm", page]]), "x.docx")).toBe("docx");
  });
});

describe("XML of OpenDocument", () => {
  test("is held to the same in packages", async () => {
    expect(await verdict(await odt("<a/>"), "x.odt")).toBe("odt");
    expect(await verdict(await odt(`${XXE}<a>&x;</a>`), "x.odt")).toBe("file_corrupt");
    expect(await verdict(await odt(`${LAUGHS}<a>&j;</a>`), "x.odt")).toBe("file_corrupt");
    expect(await verdict(await odt(`<a>${DEEP}</a>`), "x.odt")).toBe("file_corrupt");
    expect(await verdict(await odt("<a/>", `${XXE}${MANIFEST}`), "x.odt")).toBe("file_corrupt");
  });

  test.each([
    "formats/plain.fodt",
    "formats/small.fods",
    "formats/plain.fodp",
    "formats/plain.fodg",
    "formats/book.xml",
  ])("and of others in flat files: %s", async (path) => {
    const whole = (await sample(path)).toString();
    const declared = whole.indexOf("?>") + 2;
    const insert = (at: number, text: string) => whole.slice(0, at) + text + whole.slice(at);
    const rootEnd = whole.lastIndexOf("</");

    expect(await verdict(insert(declared, XXE), path)).toBe("file_corrupt");
    expect(await verdict(insert(declared, LAUGHS), path)).toBe("file_corrupt");
    expect(await verdict(insert(rootEnd, DEEP), path)).toBe("file_corrupt");
    expect(await verdict(whole.slice(0, rootEnd), path)).toBe("file_corrupt");
  });
});

describe("an SVG picture", () => {
  test("is held to the same, alone and in a document", async () => {
    const sound = `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="5" height="5"/></svg>`;
    expect(await verdict(sound, "x.svg")).toBe("svg");
    for (const hostile of [`${XXE}${sound}`, `${LAUGHS}${sound}`, `<svg>${DEEP}</svg>`, sound.slice(0, -3)]) {
      expect(await verdict(hostile, "x.svg")).toBe("file_corrupt");
      expect(await verdict(await zipOf([...documentMembers(), ["word/media/a.svg", hostile]]), "x.docx")).toBe(
        "file_corrupt",
      );
    }
  });
});
