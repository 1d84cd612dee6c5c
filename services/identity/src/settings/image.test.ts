import { Fault } from "@assistant/kit/wire/fault.js";
import { describe, expect, test } from "@jest/globals";
import { bitmap, chunk, ico, png } from "../testing/images.js";
import { readImage } from "./image.js";

/** What kind it is, or what is said to be wrong with it. */
function kindOf(bytes: Buffer): string {
  try {
    const { mediaType, content } = readImage(bytes);
    expect(content.equals(bytes)).toBe(true);
    return mediaType;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.violations.map(({ type }) => type).join();
  }
}

describe("a PNG", () => {
  test("is one by its first bytes, whole to its last, of 1 to 1,024 pixels a side", () => {
    for (const [width, height] of [
      [1, 1],
      [16, 32],
      [1_024, 1_024],
    ] as const) {
      expect(kindOf(png(width, height))).toBe("image/png");
      expect(kindOf(png(width, height, { colour: 6 }))).toBe("image/png");
    }
    expect(kindOf(png(1_025, 1))).toBe("value_error");
    expect(kindOf(png(1, 1_025))).toBe("value_error");
    expect(kindOf(png(2 ** 31, 2 ** 31, { bits: Buffer.alloc(9) }))).toBe("value_error");
    expect(kindOf(png(0, 1))).toBe("file_corrupt");
    expect(kindOf(png(1, 0))).toBe("file_corrupt");
  });

  test("that is cut short, changed or goes on after its end is damaged", () => {
    const whole = png(16, 16);
    for (let length = 8; length < whole.length; length += 1) {
      expect({ length, kind: kindOf(whole.subarray(0, length)) }).toEqual({ length, kind: "file_corrupt" });
    }
    for (let at = 8; at < whole.length; at += 1) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect({ at, kind: kindOf(changed) }).toEqual({ at, kind: "file_corrupt" });
    }
    expect(kindOf(png(16, 16, { after: Buffer.from("<script>alert(1)</script>") }))).toBe("file_corrupt");
    expect(kindOf(png(16, 16, { after: chunk("IEND", Buffer.alloc(0)).subarray(0, 4) }))).toBe("file_corrupt");
  });

  test("unpacks to exactly its pixels: a bomb does not go off", () => {
    expect(kindOf(png(16, 16, { bits: Buffer.alloc(100_000_000) }))).toBe("file_corrupt");
    expect(kindOf(png(16, 16, { bits: Buffer.alloc(17 * 16 - 1) }))).toBe("file_corrupt");
    expect(kindOf(png(16, 16, { bits: Buffer.alloc(17 * 16 + 1) }))).toBe("file_corrupt");
    expect(kindOf(png(16, 16, { bits: Buffer.alloc(0) }))).toBe("file_corrupt");
  });

  test("of a colour that there is not is damaged", () => {
    expect(kindOf(png(16, 16, { colour: 5 }))).toBe("file_corrupt");
  });
});

describe("an ICO", () => {
  test("holds bitmaps and PNGs of 1 to 1,024 pixels a side", () => {
    expect(kindOf(ico([bitmap(16, 16), bitmap(32, 32), png(256, 256)]))).toBe("image/x-icon");
    expect(kindOf(ico([png(1_024, 1)]))).toBe("image/x-icon");
    expect(kindOf(ico([png(1_025, 1)]))).toBe("value_error");
    expect(kindOf(ico([bitmap(1_025, 1)]))).toBe("value_error");
    expect(kindOf(ico([bitmap(0, 16)]))).toBe("file_corrupt");
    expect(kindOf(ico([bitmap(-16, 16)]))).toBe("file_corrupt");
  });

  test("holds 1 to 32 images", () => {
    expect(kindOf(ico([]))).toBe("file_corrupt");
    expect(kindOf(ico(Array.from({ length: 32 }, () => bitmap(1, 1))))).toBe("image/x-icon");
    expect(kindOf(ico(Array.from({ length: 33 }, () => bitmap(1, 1))))).toBe("file_corrupt");
  });

  test("whose images are elsewhere, cut short or of no kind is damaged", () => {
    for (const place of [
      { start: 0 },
      { start: 2 ** 32 - 1 },
      { length: 2 ** 32 - 1 },
      { length: 0 },
      { length: 40 },
    ]) {
      expect({ place, kind: kindOf(ico([bitmap(16, 16)], place)) }).toEqual({ place, kind: "file_corrupt" });
    }
    expect(kindOf(ico([Buffer.alloc(64)]))).toBe("file_corrupt");
    expect(kindOf(ico([png(16, 16).subarray(0, 60)]))).toBe("file_corrupt");
    const whole = ico([bitmap(16, 16)]);
    for (let length = 4; length < 300; length += 7) {
      expect({ length, kind: kindOf(whole.subarray(0, length)) }).toEqual({ length, kind: "file_corrupt" });
    }
  });
});

test("what is neither PNG, ICO nor SVG is not taken: 415", () => {
  for (const text of [
    "GIF89a",
    "\xff\xd8\xff\xe0",
    "RIFF....WEBP",
    "%PDF-1.7",
    "PK\u0003\u0004",
    "svg",
    "\u0000\u0000\u0001",
    "",
  ]) {
    expect({ text, kind: kindOf(Buffer.from(text, "latin1")) }).toEqual({ text, kind: "unsupported_media_type" });
  }
});
