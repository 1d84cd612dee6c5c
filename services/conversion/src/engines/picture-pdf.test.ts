import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { PDFDocument } from "pdf-lib";
import { jpg, png } from "../testing/pictures.js";
import { Refused } from "./basic-task.js";
import { picturePdf } from "./picture-pdf.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "assistant-pictures-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function made(extension: "png" | "jpg", bytes: Buffer, pixelsMax?: number): Promise<Buffer> {
  const path = join(folder, `input.${extension}`);
  await writeFile(path, bytes);
  const save = await picturePdf(path, extension, pixelsMax);
  return Buffer.from(await save());
}

async function pageSize(bytes: Buffer): Promise<{ width: number; height: number }> {
  return (await PDFDocument.load(await made("png", bytes))).getPage(0).getSize();
}

describe("a picture as PDF", () => {
  test("lies across if it is wide, and stands upright if it is high", async () => {
    expect(await pageSize(png(40, 20))).toEqual({ width: 841.89, height: 595.28 });
    expect(await pageSize(png(20, 40))).toEqual({ width: 595.28, height: 841.89 });
    expect(await pageSize(png(20, 20))).toEqual({ width: 595.28, height: 841.89 });
  });

  test("may have so many pixels as PNG and no more", async () => {
    await made("png", png(50, 40), 2_000);
    await expect(made("png", png(50, 41), 2_000)).rejects.toMatchObject({ why: "complex" });
  });

  test("is refused as PNG wherever it is cut, and whatever byte of it is another", async () => {
    const whole = png(30, 20);
    for (let size = 24; size < whole.length; size += 1) {
      await expect(made("png", whole.subarray(0, size))).rejects.toBeInstanceOf(Error);
    }
    const places = fc.tuple(fc.integer({ min: 8, max: whole.length - 1 }), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(places, async ([at, change]) => {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] ?? 0) ^ change;
        await expect(made("png", changed)).rejects.toBeInstanceOf(Error);
      }),
    );
  });

  test("is refused as PNG if it unpacks to less or more than it says", async () => {
    for (const height of [19, 21]) {
      const lying = png(30, 20);
      const other = png(30, height);
      // The header of the one, the rows of the other.
      const mixed = Buffer.concat([lying.subarray(0, 33), other.subarray(33)]);
      await expect(made("png", mixed)).rejects.toBeInstanceOf(Refused);
    }
  });

  const missing = popplerMissing();
  const skip = missing === undefined ? "" : ` (skipped: ${missing})`;
  (missing === undefined ? test : test.skip)(`is seen as its camera was held${skip}`, async () => {
    // Red, green above, blue, yellow below, as the eight orientations of EXIF turn and mirror them.
    const seen = ["RGBY", "GRYB", "YBGR", "BYRG", "RBGY", "BRYG", "YGBR", "GYRB"];
    for (const [at, corners] of seen.entries()) {
      expect(cornersOf(await made("jpg", jpg(at + 1)))).toBe(corners);
    }
  });
});

function popplerMissing(): string | undefined {
  try {
    execFileSync("pdftoppm", ["-v"], { stdio: "ignore" });
    return undefined;
  } catch {
    // Whatever the reason, nothing can be drawn.
    return "pdftoppm is not installed";
  }
}

/** The colours around the middle of the first page: above left, above right, below left, below right. */
function cornersOf(pdf: Buffer): string {
  const image = execFileSync("pdftoppm", ["-r", "72", "-"], { input: pdf, maxBuffer: 2 ** 26 });
  const [header = "", width, height] = /^P6\n(\d+) (\d+)\n255\n/.exec(image.toString("latin1", 0, 32)) ?? [];
  const colour = (right: number, down: number) => {
    const [x, y] = [(Number(width) >> 1) + right, (Number(height) >> 1) + down];
    const start = header.length + 3 * (y * Number(width) + x);
    const bits = [...image.subarray(start, start + 3)].map((value) => (value > 128 ? "1" : "0")).join("");
    return { "100": "R", "010": "G", "001": "B", "110": "Y" }[bits] ?? "?";
  };
  return colour(-5, -5) + colour(5, -5) + colour(-5, 5) + colour(5, 5);
}
