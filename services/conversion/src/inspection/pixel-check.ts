import { imageSize } from "image-size";
import { jpegCheck } from "./jpeg-check.js";
import { type PixelCheck, refuseHuge } from "./pixel-limit.js";

/** Measures a picture by its header. What is no picture of pixels passes unmeasured. */
export function pixelCheck(): PixelCheck {
  let check: PixelCheck | undefined;
  return {
    take(piece) {
      check ??= isJpeg(piece) ? jpegCheck() : headCheck();
      check.take(piece);
    },
    end: () => check?.end(),
    isMeasured: () => check?.isMeasured() ?? false,
  };
}

/** All of them tell their size in the first few bytes, but TIFF, which may tell it anywhere. */
const PIXEL_TYPES = new Set(["png", "gif", "bmp", "webp", "tiff"]);
const HEAD_BYTES = 65_536;
const HEADER_MAX_BYTES = 64;

function isJpeg(piece: Buffer): boolean {
  return piece[0] === 0xff && piece[1] === 0xd8;
}

function headCheck(): PixelCheck {
  let head = Buffer.alloc(0);
  let isMeasured = false;
  const measure = () => {
    const size = sizeOf(head);
    if (size === undefined) return;
    isMeasured = true;
    refuseHuge(size.width, size.height);
  };
  return {
    take(piece) {
      if (head.length >= HEAD_BYTES) return;
      head = Buffer.concat([head, piece.subarray(0, HEAD_BYTES - head.length)]);
      if (head.length >= HEAD_BYTES) measure();
    },
    end() {
      if (head.length < HEAD_BYTES) measure();
    },
    isMeasured: () => isMeasured,
  };
}

function sizeOf(head: Buffer): { width: number; height: number } | undefined {
  try {
    // Beyond the end of a short head the library would read anything.
    const { type, width, height } = imageSize(Buffer.concat([head, Buffer.alloc(HEADER_MAX_BYTES)]));
    const isKnown = type !== undefined && PIXEL_TYPES.has(type) && width > 0 && height > 0;
    return isKnown ? { width, height } : undefined;
  } catch {
    // No picture, or none whose header the library can read: its throws do not tell which.
    return undefined;
  }
}
