import { describe, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { sample, verdict } from "../testing/verdict.js";
import { formatOf } from "./formats.js";

jest.setTimeout(120_000);

const SAMPLES = [
  ...[
    "formats/book.slk",
    "formats/book.xls",
    "formats/book.xlsb",
    "formats/small.xlsx",
    "formats/book.xml",
    "formats/letter.odt",
  ],
  ...[
    "formats/one-page.doc",
    "formats/one-page.docx",
    "formats/one-page.rtf",
    "formats/plain.fodt",
    "formats/plain.pdf",
  ],
  ...["formats/plain.pptx", "formats/small.xls", "formats/tab-utf16le.csv", "formats/page.html"],
  ...["hostile/encrypted.doc", "hostile/encrypted.docx", "hostile/encrypted.odt", "hostile/encrypted.xls"],
];
const REFUSALS = new Set([
  ...["file_corrupt", "file_empty", "file_password_protected", "file_too_complex", "unsupported_media_type"],
]);

interface Change {
  readonly kind: "cut" | "set" | "insert" | "repeat";
  /** Where, as a part of the whole: most changes lie in headers, at the one end or the other. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

const places = fc.oneof(
  fc.double({ min: 0, max: 0.02, noNaN: true }),
  fc.double({ min: 0.9, max: 1, noNaN: true }),
  fc.double({ min: 0, max: 1, noNaN: true }),
);
const changes: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("cut", "set", "insert", "repeat"),
  at: places,
  bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
});

function changed(whole: Buffer, { kind, at, bytes }: Change): Buffer {
  const place = Math.floor(at * whole.length);
  const before = whole.subarray(0, place);
  switch (kind) {
    case "cut":
      return before;
    case "set":
      return Buffer.concat([before, bytes, whole.subarray(place + bytes.length)]);
    case "insert":
      return Buffer.concat([before, bytes, whole.subarray(place)]);
    case "repeat":
      return Buffer.concat([whole.subarray(0, place + bytes.length), whole.subarray(place)]);
  }
}

describe("inspection", () => {
  test("names a format or a fault, and nothing else, whatever happened to a file", async () => {
    const names = fc.constantFrom("", ".docx", ".xls", ".odt", ".pdf", ".csv", ".doc");
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SAMPLES),
        fc.array(changes, { minLength: 1, maxLength: 4 }),
        names,
        async (path, all, ending) => {
          const bytes = all.reduce(changed, await sample(path));
          const answer = await verdict(bytes, ending === "" ? path : `x${ending}`);
          expect(REFUSALS.has(answer) || formatOf(answer) !== undefined).toBe(true);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("does so for any bytes after the magic numbers that it knows", async () => {
    const magic = fc.constantFrom(
      "504b0304",
      "504b0506",
      "d0cf11e0a1b11ae1",
      "255044462d",
      "89504e470d0a1a0a",
      "ffd8ff",
      "424d",
      "52494646",
      "03",
      "09081000",
      "7b5c727466",
      "fffe",
      "3c3f786d6c",
    );
    await fc.assert(
      fc.asyncProperty(magic, fc.uint8Array({ maxLength: 2_000 }), async (start, bytes) => {
        const answer = await verdict(Buffer.concat([Buffer.from(start, "hex"), bytes]), "x");
        expect(REFUSALS.has(answer) || formatOf(answer) !== undefined).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });
});

const RUNS = 500;
