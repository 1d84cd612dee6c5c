import { type PixelCheck, refuseHuge } from "./pixel-limit.js";

/**
 * Walks along the segments of a JPEG picture to those that tell its size, however much lies before them: cameras put
 * whole previews there. Every size before the pixels counts, since a hostile file may tell a small one first.
 */
export function jpegCheck(): PixelCheck {
  let isMeasured = false;
  let isOver = false;
  let skip = 2;
  let rest = Buffer.alloc(0);

  const walk = () => {
    while (!isOver && rest.length >= SIZE_SEGMENT_BYTES) {
      const marker = rest[1] ?? 0;
      if (rest[0] !== 0xff) {
        // Decoders look for the next marker, too.
        const next = rest.indexOf(0xff);
        rest = rest.subarray(next < 0 ? rest.length : next);
      } else if (isAlone(marker)) {
        rest = rest.subarray(marker === 0xff ? 1 : 2);
      } else {
        segment(marker, rest.readUInt16BE(2));
      }
    }
  };
  const segment = (marker: number, lengthBytes: number) => {
    isOver = marker === START_OF_SCAN || lengthBytes < 2;
    if (isOver) return;
    if (isFrame(marker)) {
      isMeasured = true;
      refuseHuge(rest.readUInt16BE(7), rest.readUInt16BE(5));
    }
    jump(2 + lengthBytes);
  };
  const jump = (length: number) => {
    skip = Math.max(0, length - rest.length);
    rest = rest.subarray(length);
  };

  return {
    take(piece) {
      if (isOver) return;
      const skipped = Math.min(skip, piece.length);
      skip -= skipped;
      rest = Buffer.concat([rest, piece.subarray(skipped)]);
      walk();
    },
    end: () => walk(),
    isMeasured: () => isMeasured,
  };
}

/** Marker, length, depth, height, width. */
const SIZE_SEGMENT_BYTES = 9;
const START_OF_SCAN = 0xda;

/** Fill bytes, and markers that no length follows. */
function isAlone(marker: number): boolean {
  return marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
