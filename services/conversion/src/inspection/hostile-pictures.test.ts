import { deflateSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { jpg, png } from "../testing/pictures.js";
import { verdict } from "../testing/verdict.js";
import { documentMembers, zipOf } from "../testing/zip-files.js";

const SIZE = 16;

/** A picture that says it is larger than its pixels. */
function pretending(width: number, height: number): Buffer {
  const picture = png(1, 1);
  picture.writeUInt32BE(width, SIZE);
  picture.writeUInt32BE(height, SIZE + 4);
  return picture;
}

/** The size is told after so many bytes of what cameras add. */
function jpgOf(width: number, height: number, addedBytes = 0): Buffer {
  const picture = Buffer.from(jpg());
  const frame = picture.indexOf(Buffer.from("ffc0", "hex"));
  picture.writeUInt16BE(height, frame + 5);
  picture.writeUInt16BE(width, frame + 7);
  const segment = Buffer.concat([Buffer.from("ffe2ffff", "hex"), Buffer.alloc(65_533)]);
  const added = Buffer.concat(Array.from({ length: Math.ceil(addedBytes / segment.length) }, () => segment));
  return Buffer.concat([picture.subarray(0, 2), added, Buffer.alloc(5, 0xff), picture.subarray(2)]);
}

async function inDocument(picture: Buffer): Promise<string> {
  return verdict(await zipOf([...documentMembers(), ["word/media/image1.png", picture]]), "x.docx");
}

/** 30,000 by 30,000 of one colour, really. */
function vast(): Buffer {
  const small = png(1, 1);
  const side = 30_000;
  const row = Buffer.alloc(side / 8 + 1);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)));
  const size = Buffer.alloc(4);
  size.writeUInt32BE(pixels.length);
  const head = pretending(side, side).subarray(0, 33);
  head[SIZE + 8] = 1;
  return Buffer.concat([head, size, Buffer.from("IDAT"), pixels, Buffer.alloc(4), small.subarray(-12)]);
}

describe("a picture of many pixels", () => {
  test("of 30,000 by 30,000 is too complex, alone and in a document, though it has 110 KB", async () => {
    const picture = vast();
    expect(picture.length).toBeLessThan(150_000);
    expect(await verdict(picture, "x.png")).toBe("file_too_complex");
    expect(await inDocument(picture)).toBe("file_too_complex");
  });

  test("is taken up to 100 million", async () => {
    expect(await verdict(pretending(10_000, 10_000), "x.png")).toBe("png");
    expect(await verdict(pretending(10_000, 10_001), "x.png")).toBe("file_too_complex");
    expect(await inDocument(pretending(10_000, 10_000))).toBe("docx");
    expect(await inDocument(pretending(10_000, 10_001))).toBe("file_too_complex");
    expect(await verdict(jpgOf(10_000, 10_000), "x.jpg")).toBe("jpg");
    expect(await verdict(jpgOf(10_000, 10_001), "x.jpg")).toBe("file_too_complex");
  });

  test("is found behind megabytes of other things", async () => {
    expect(await verdict(jpgOf(40, 20, 5_000_000), "x.jpg")).toBe("jpg");
    expect(await verdict(jpgOf(60_000, 60_000, 5_000_000), "x.jpg")).toBe("file_too_complex");
    expect(await inDocument(jpgOf(60_000, 60_000, 5_000_000))).toBe("file_too_complex");
  });
});

describe("a damaged picture", () => {
  test("that does not tell its size, or has no end, is corrupt", async () => {
    expect(await verdict(png(3, 2).subarray(0, 20), "x.png")).toBe("file_corrupt");
    expect(await verdict(png(3, 2).subarray(0, -12), "x.png")).toBe("file_corrupt");
    expect(await verdict(jpg().subarray(0, 100), "x.jpg")).toBe("file_corrupt");
  });

  test("in a document is the engine's to leave out", async () => {
    expect(await inDocument(png(3, 2).subarray(0, 20))).toBe("docx");
  });
});
