import { deflateRawSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { refusal, sample, verdict } from "../testing/verdict.js";
import { documentMembers, documentOf, lie, type Members, toldOf, zipOf } from "../testing/zip-files.js";

const MIB = 1_048_576;
const DOCUMENT = "word/document.xml";

/** Members that no engine is hurt by, so that nothing but their number can be in the way. */
function fillers(count: number): Members {
  return Array.from({ length: count }, (_, index) => [`filler/${index}.bin`, "", { compress: false }] as const);
}

describe("a zip file", () => {
  test("that holds a document is taken, stored or deflated", async () => {
    expect(await verdict(await zipOf(documentMembers()), "x.docx")).toBe("docx");
    const stored = documentMembers().map(([path, content]) => [path, content, { compress: false }] as const);
    expect(await verdict(await zipOf(stored), "x.docx")).toBe("docx");
    const big = documentMembers(documentOf(`<w:p w:a="${"b".repeat(MIB)}"/>`));
    expect(await verdict(await zipOf(big), "x.docx")).toBe("docx");
  });

  test("that holds anything else is 415, with what it is", async () => {
    const zip = await zipOf([["readme.txt", "hello"]]);
    expect(await refusal(zip, "x.docx")).toMatchObject({
      type: "unsupported_media_type",
      context: { detected: "zip" },
    });
    expect(await refusal(zip, "x.zip")).toMatchObject({ type: "unsupported_media_type", context: { detected: "zip" } });
    const book = await zipOf([
      ["mimetype", "application/epub+zip", { compress: false }],
      ["META-INF/container.xml", "<a/>"],
    ]);
    expect(await refusal(book, "x.epub")).toMatchObject({ context: { detected: "epub" } });
    expect(await verdict(await zipOf([]), "x.docx")).toBe("unsupported_media_type");
  });

  test("cut short anywhere is corrupt", async () => {
    const whole = await sample("formats/one-page.docx");
    for (let tenth = 1; tenth < 10; tenth += 1) {
      const cut = whole.subarray(0, Math.round((whole.length * tenth) / 10));
      expect([tenth, await verdict(cut, "x.docx")]).toEqual([tenth, "file_corrupt"]);
    }
    expect(await verdict(whole.subarray(0, -1), "x.docx")).toBe("file_corrupt");
  });

  test("with one flipped bit in the bytes of a member is corrupt", async () => {
    const whole = await sample("formats/one-page.docx");
    const start = toldOf(whole, DOCUMENT, "start") + 30 + DOCUMENT.length;
    for (const at of [0, 0.25, 0.5, 0.75]) {
      const flipped = Buffer.from(whole);
      const place = start + Math.floor(at * toldOf(whole, DOCUMENT, "packedBytes"));
      flipped[place] = (flipped[place] ?? 0) ^ 0x10;
      expect(await verdict(flipped, "x.docx")).toBe("file_corrupt");
    }
  });

  test.each(["crc32", "packedBytes", "sizeBytes", "start"] as const)(
    "that lies about its %s is corrupt",
    async (field) => {
      const zip = await zipOf(documentMembers(documentOf("<w:p/>".repeat(10))));
      const told = toldOf(zip, DOCUMENT, field);
      for (const value of [told - 1, told + 1].filter((number) => number >= 0)) {
        expect(await verdict(lie(zip, DOCUMENT, field, value), "x.docx")).toBe("file_corrupt");
      }
    },
  );

  test("that announces little and unpacks to much is corrupt, before it is unpacked", async () => {
    const zip = await zipOf(documentMembers(documentOf(`<w:p w:a="${"b".repeat(8 * MIB)}"/>`)));
    expect(await verdict(lie(zip, DOCUMENT, "sizeBytes", 1_000), "x.docx")).toBe("file_corrupt");
    expect(await verdict(lie(zip, DOCUMENT, "sizeBytes", MIB), "x.docx")).toBe("file_corrupt");
  });

  test("of 1 MB that announces 300 MB of XML is too complex", async () => {
    const zip = await zipOf(documentMembers(documentOf("<w:p/>".repeat(100_000))));
    expect(await verdict(lie(zip, DOCUMENT, "sizeBytes", 300_000_000), "x.docx")).toBe("file_too_complex");
  });

  test("may hold 8 MiB of anything, and more only at a ratio of up to 200", async () => {
    const dense = (sizeBytes: number) => zipOf([...documentMembers(), ["a.bin", Buffer.alloc(sizeBytes)]]);
    expect(await verdict(await dense(8 * MIB), "x.docx")).toBe("docx");
    expect(await verdict(await dense(8 * MIB + 1), "x.docx")).toBe("file_too_complex");
    const loose = lie(await dense(8 * MIB + 1), "a.bin", "packedBytes", Math.ceil((8 * MIB + 1) / 200));
    // It lies, and is refused for that alone.
    expect(await verdict(loose, "x.docx")).toBe("file_corrupt");
  });

  test("may announce 512 MiB and 128 MiB of XML, no more", async () => {
    const told = async (path: string, sizeBytes: number) => {
      const zip = await zipOf([
        ...documentMembers(),
        [path, Buffer.alloc(4 * MIB, deflateRawSync("x")), { compress: false }],
      ]);
      return verdict(lie(lie(zip, path, "method", 8), path, "sizeBytes", sizeBytes), "x.docx");
    };
    const least = (await zipOf(documentMembers())).length;
    expect(await told("a.xml", 128 * MIB)).toBe("file_corrupt");
    expect(await told("a.xml", 128 * MIB + 1)).toBe("file_too_complex");
    expect(await told("a.bin", 512 * MIB - 8 * least)).toBe("file_corrupt");
    expect(await told("a.bin", 512 * MIB)).toBe("file_too_complex");
  });

  test("may have 10,000 members, no more", async () => {
    const members = documentMembers();
    expect(await verdict(await zipOf([...members, ...fillers(10_000 - members.length)]), "x.docx")).toBe("docx");
    expect(await verdict(await zipOf([...members, ...fillers(10_001 - members.length)]), "x.docx")).toBe(
      "file_too_complex",
    );
  });

  test("whose members share bytes is corrupt", async () => {
    const kernel = Buffer.alloc(1_000, "a");
    const zip = await zipOf([...documentMembers(), ["a.bin", kernel], ["b.bin", kernel]]);
    const start = toldOf(zip, "a.bin", "start");
    expect(await verdict(lie(zip, "b.bin", "start", start), "x.docx")).toBe("file_corrupt");
    expect(await verdict(lie(zip, "a.bin", "packedBytes", toldOf(zip, "a.bin", "packedBytes") + 60), "x.docx")).toBe(
      "file_corrupt",
    );
  });

  test("with two members of one name, even in other cases, is corrupt", async () => {
    expect(await verdict(await zipOf([...documentMembers(), [DOCUMENT, documentOf("")]]), "x.docx")).toBe(
      "file_corrupt",
    );
    expect(await verdict(await zipOf([...documentMembers(), ["Word/Document.XML", "<a/>"]]), "x.docx")).toBe(
      "file_corrupt",
    );
  });

  test.each(["../evil.txt", "a/../../evil.txt", "/etc/cron.d/evil", "C:/evil.txt"])(
    "with a member %s is corrupt",
    async (path) => {
      // The library that writes refuses such names, so another of the same length is overwritten.
      const innocent = "x".repeat(path.length);
      const zip = await zipOf([...documentMembers(), [innocent, "hello"]]);
      const evil = Buffer.from(zip.toString("latin1").replaceAll(innocent, path), "latin1");
      expect(await verdict(zip, "x.docx")).toBe("docx");
      expect(await verdict(evil, "x.docx")).toBe("file_corrupt");
    },
  );

  test("of encrypted members is password protected", async () => {
    expect(await verdict(lie(await zipOf(documentMembers()), DOCUMENT, "flags", 0x801), "x.docx")).toBe(
      "file_password_protected",
    );
  });

  test("packed in a way that engines do not know is corrupt", async () => {
    expect(await verdict(lie(await zipOf(documentMembers()), DOCUMENT, "method", 14), "x.docx")).toBe("file_corrupt");
  });

  test("with bytes after its end is corrupt", async () => {
    expect(await verdict(Buffer.concat([await zipOf(documentMembers()), Buffer.from("trailer")]), "x.docx")).toBe(
      "file_corrupt",
    );
  });
});
