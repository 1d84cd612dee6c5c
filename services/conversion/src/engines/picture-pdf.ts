import { readFile } from "node:fs/promises";
import { imageSize } from "image-size";
import {
  concatTransformationMatrix,
  drawObject,
  PDFDocument,
  type PDFImage,
  popGraphicsState,
  pushGraphicsState,
} from "pdf-lib";
import { Refused } from "./basic-task.js";
import { checkPng } from "./png-check.js";

/** A picture on one page of A4, upright or across as it fits, turned as its camera was held, never enlarged. */
export async function picturePdf(
  path: string,
  extension: "png" | "jpg",
  pngPixelsMax = PNG_PIXELS_MAX,
): Promise<() => Promise<Uint8Array>> {
  const bytes = await readFile(path);
  const { width, height, orientation = 1 } = imageSize(bytes);
  // A JPEG stands in a PDF as it is, but every pixel of a PNG is taken out and put in again.
  if (extension === "png") {
    if (width * height > pngPixelsMax) throw new Refused("complex", `${width} x ${height} pixels`);
    await checkPng(bytes);
  }
  const document = await PDFDocument.create();
  const image = await (extension === "png" ? document.embedPng(bytes) : document.embedJpg(bytes));
  place(document, image, TURNED[orientation] ?? UPRIGHT);
  return () => document.save();
}

const PNG_PIXELS_MAX = 40_000_000;
const A4_POINTS = [595.28, 841.89] as const;
const MARGIN_POINTS = 36;
const POINTS_PER_PIXEL = 72 / 96;

/** How the unit square is turned and mirrored: PDF's a, b, c, d, e, f. */
type Turn = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

const UPRIGHT: Turn = [1, 0, 0, 1, 0, 0];

/** By the orientation that EXIF says. */
const TURNED: Readonly<Record<number, Turn>> = {
  1: UPRIGHT,
  2: [-1, 0, 0, 1, 1, 0],
  3: [-1, 0, 0, -1, 1, 1],
  4: [1, 0, 0, -1, 0, 1],
  5: [0, -1, -1, 0, 1, 1],
  6: [0, -1, 1, 0, 0, 1],
  7: [0, 1, 1, 0, 0, 0],
  8: [0, 1, -1, 0, 1, 0],
};

function place(document: PDFDocument, image: PDFImage, [a, b, c, d, e, f]: Turn): void {
  const isOnItsSide = a === 0;
  const [seenWidth, seenHeight] = isOnItsSide ? [image.height, image.width] : [image.width, image.height];
  const [short, long] = A4_POINTS;
  const [pageWidth, pageHeight] = seenWidth > seenHeight ? [long, short] : [short, long];
  const fit = Math.min((pageWidth - 2 * MARGIN_POINTS) / seenWidth, (pageHeight - 2 * MARGIN_POINTS) / seenHeight);
  const scale = Math.min(POINTS_PER_PIXEL, fit);
  const [width, height] = [seenWidth * scale, seenHeight * scale];
  const [x, y] = [(pageWidth - width) / 2, (pageHeight - height) / 2];
  const page = document.addPage([pageWidth, pageHeight]);
  page.pushOperators(
    pushGraphicsState(),
    concatTransformationMatrix(a * width, b * height, c * width, d * height, e * width + x, f * height + y),
    drawObject(page.node.newXObject("Picture", image.ref)),
    popGraphicsState(),
  );
}
