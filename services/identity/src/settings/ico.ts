import { readPng, type Size } from "./png.js";

/** The sizes of the images in an ICO file, each as it says itself; one that is not whole is undefined. */
export function readIco(bytes: Buffer): (Size | undefined)[] {
  const count = bytes.length < HEADER_BYTES ? 0 : bytes.readUInt16LE(4);
  const end = HEADER_BYTES + count * ENTRY_BYTES;
  if (count < 1 || count > IMAGES_MAX || end > bytes.length) {
    return [undefined];
  }
  return Array.from({ length: count }, (_, index) => readEntry(bytes, HEADER_BYTES + index * ENTRY_BYTES, end));
}

const HEADER_BYTES = 6;
const ENTRY_BYTES = 16;
const IMAGES_MAX = 32;
const BITMAP_HEADER_BYTES = 40;

function readEntry(bytes: Buffer, at: number, directoryEnd: number): Size | undefined {
  const length = bytes.readUInt32LE(at + 8);
  const start = bytes.readUInt32LE(at + 12);
  if (start < directoryEnd || start + length > bytes.length || length < BITMAP_HEADER_BYTES) {
    return undefined;
  }
  const image = bytes.subarray(start, start + length);
  return image.readUInt32BE(0) === PNG_BEGIN ? readPng(image) : readBitmap(image);
}

const PNG_BEGIN = 0x89504e47;

/** A bitmap without its file header; its height counts the mask too. */
function readBitmap(image: Buffer): Size | undefined {
  const size = { width: image.readInt32LE(4), height: image.readInt32LE(8) / 2 };
  const [planes, bits, compression] = [image.readUInt16LE(12), image.readUInt16LE(14), image.readUInt32LE(16)];
  const isKnown = planes <= 1 && [1, 4, 8, 16, 24, 32].includes(bits) && compression === 0;
  if (image.readUInt32LE(0) !== BITMAP_HEADER_BYTES || !isKnown || !Number.isInteger(size.height)) {
    return undefined;
  }
  // Each row of pixels fills up to four bytes.
  const pixelsBytes = Math.ceil((size.width * bits) / 32) * 4 * size.height;
  return BITMAP_HEADER_BYTES + pixelsBytes <= image.length ? size : undefined;
}
