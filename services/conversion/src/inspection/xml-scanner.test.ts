import { describe, expect, test } from "@jest/globals";
import type { XmlDialect } from "./xml-declarations.js";
import { xmlScanner } from "./xml-scanner.js";

function scan(xml: Buffer | string, dialect: XmlDialect = "openXml", pieceBytes = 65_536): "sound" | "refused" {
  const bytes = Buffer.from(xml);
  const scanner = xmlScanner(dialect);
  try {
    for (let at = 0; at < bytes.length; at += pieceBytes) scanner.take(bytes.subarray(at, at + pieceBytes));
    scanner.end();
    return "sound";
  } catch (error) {
    expect(error).toMatchObject({ kind: "invalid", violations: [{ type: "file_corrupt" }] });
    return "refused";
  }
}

function nested(depth: number): string {
  return "<a>".repeat(depth) + "</a>".repeat(depth);
}

/** The same document in both orders of two bytes, with its mark. */
function wide(xml: string): Buffer[] {
  const little = Buffer.from(`\ufeff${xml}`, "utf16le");
  return [little, Buffer.from(little).swap16()];
}

const LAUGHS = `<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>`;
const SYSTEM = `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>`;
const DIALECTS: XmlDialect[] = ["openXml", "openDocument", "spreadsheetMl", "svg"];

const SOUND: [string, string][] = [
  ["an empty element", "<a/>"],
  ["attributes with brackets", `<a b="x > y" c='/>'><d e="'"/></a>`],
  ["comments with everything in them", "<!-- <b> -- > ]]> --><a><!----><!-- > --></a><!-- -->"],
  ["character data", "<a><![CDATA[ <b> ]> ]] > ]]]></a>"],
  ["instructions", `<?xml version="1.0" encoding="UTF-8"?><?a <b> ?><a><?b?></a>`],
  ["spaces around the root", "\r\n\t <a></a > \n"],
];
const REFUSED: [string, string][] = [
  ["nothing", ""],
  ["text only", "hello"],
  ["text before the root", "a<b/>"],
  ["two roots", "<a/><b/>"],
  ["what is not closed", "<a><b></b>"],
  ["what was not opened", "<a></a></b>"],
  ["an unfinished tag", "<a><b c='"],
  ["an unfinished comment", "<a/><!-- "],
  ["a tag within a tag", "<a <b/>"],
  ["an unknown declaration", "<!ELEMENT a ANY><a/>"],
  ["an entity declared outside of a document type", `<!ENTITY a "b"><a/>`],
  ["an encoding that hides markup", `<?xml version="1.0" encoding="UTF-7"?><a/>`],
  ["a document type within the root", "<a><!DOCTYPE a></a>"],
];

describe("the XML scanner", () => {
  test.each(SOUND)("takes %s, however it is cut", (_, xml) => {
    for (const pieceBytes of [1, 2, 3, 7, 65_536])
      expect([pieceBytes, scan(xml, "openXml", pieceBytes)]).toEqual([pieceBytes, "sound"]);
    for (const bytes of wide(xml)) expect(scan(bytes, "openXml", 3)).toBe("sound");
  });

  test.each(REFUSED)("refuses %s, however it is cut", (_, xml) => {
    for (const pieceBytes of [1, 2, 3, 7, 65_536])
      expect([pieceBytes, scan(xml, "openXml", pieceBytes)]).toEqual([pieceBytes, "refused"]);
    for (const bytes of wide(xml)) expect(scan(bytes, "openXml", 3)).toBe("refused");
  });

  test.each(DIALECTS)("refuses entities that expand or read files in %s, in every encoding", (dialect) => {
    for (const xml of [LAUGHS, SYSTEM, SYSTEM.replace("b SYSTEM", "% b PUBLIC 'x'")]) {
      expect(scan(xml, dialect)).toBe("refused");
      for (const bytes of wide(xml)) expect(scan(bytes, dialect)).toBe("refused");
      // Without a mark the first bytes tell.
      for (const bytes of wide(xml)) expect(scan(bytes.subarray(2), dialect)).toBe("refused");
    }
  });

  test("takes 1,000 elements within each other and refuses 1,001", () => {
    expect(scan(nested(999))).toBe("sound");
    expect(scan(nested(1_000))).toBe("sound");
    expect(scan(nested(1_001))).toBe("refused");
    expect(scan(nested(30_000))).toBe("refused");
  });

  test("takes the document types that OpenOffice and drawing programs write, where they write them", () => {
    const manifest = `<!DOCTYPE manifest:manifest PUBLIC "-//OpenOffice.org//DTD Manifest 1.0//EN" "Manifest.dtd"><a/>`;
    const w3c = `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"`;
    const illustrator = `${w3c} [\n<!ENTITY ns_svg "http://www.w3.org/2000/svg">\n<!ENTITY ns_x 'x'>\n]><svg xmlns="&ns_svg;"/>`;

    expect(DIALECTS.filter((dialect) => scan(manifest, dialect) === "sound")).toEqual(["openDocument"]);
    expect(DIALECTS.filter((dialect) => scan(`${w3c}><svg/>`, dialect) === "sound")).toEqual(["svg"]);
    expect(DIALECTS.filter((dialect) => scan(illustrator, dialect) === "sound")).toEqual(["svg"]);
    expect(scan(illustrator.replace("'x'", `'${"x".repeat(129)}'`), "svg")).toBe("refused");
    expect(scan(`<!DOCTYPE svg SYSTEM "http://example.com/x.dtd"><svg/>`, "svg")).toBe("refused");
  });

  test("looks at millions of brackets and quotation marks in one pass", () => {
    const million = 1_000_000;
    for (const part of ["<!--", "<a b='", "]]", "<![CDATA[", "'\"", "<!DOCTYPE a [", "--"]) {
      expect(scan(`<a>${part.repeat(million / part.length)}`)).toBe("refused");
    }
  });
});
