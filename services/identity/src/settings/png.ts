import { crc32, inflateSync } from "node:zlib";

/** Width and height in pixels. */
export interface Size {
  width: number;
  height: number;
}

/** The size of a whole and sound PNG (ISO/IEC 15948); undefined: it is none. */
export function readPng(bytes: Buffer): Size | undefined {
  const chunks = readChunks(bytes);
  const header = chunks?.[0];
  const isFramed = header?.type === "IHDR" && header.content.length === 13 && chunks?.at(-1)?.type === "IEND";
  if (chunks === undefined || header === undefined || !isFramed) {
    return undefined;
  }
  const size = { width: header.content.readUInt32BE(0), height: header.content.readUInt32BE(4) };
  // One that is too large is not unpacked, it is refused for its size.
  const isTooLarge = size.width > UNPACKED_SIDE_MAX || size.height > UNPACKED_SIDE_MAX;
  return isTooLarge || isSound(header.content, size, chunks) ? size : undefined;
}

interface Chunk {
  type: string;
  content: Buffer;
}

const SIGNATURE_BYTES = 8;
const FRAME_BYTES = 12;
const UNPACKED_SIDE_MAX = 1_024;

/** All chunks to the last byte; undefined: they do not fit, or one is not what its check sum says. */
function readChunks(bytes: Buffer): Chunk[] | undefined {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE_BYTES; at < bytes.length; ) {
    if (at + FRAME_BYTES > bytes.length) {
      return undefined;
    }
    const length = bytes.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > bytes.length || bytes.readUInt32BE(end) !== crc32(bytes.subarray(at + 4, end))) {
      return undefined;
    }
    chunks.push({ type: bytes.toString("latin1", at + 4, at + 8), content: bytes.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

/** Samples of a pixel, by colour type. */
const SAMPLES: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);

function isSound(header: Buffer, { width, height }: Size, chunks: readonly Chunk[]): boolean {
  const [depth = 0, colour = 0, compression, filter, interlace = 0] = header.subarray(8);
  const samples = SAMPLES.get(colour);
  const isKnown = [1, 2, 4, 8, 16].includes(depth) && compression === 0 && filter === 0 && interlace <= 1;
  if (samples === undefined || !isKnown || width === 0 || height === 0) {
    return false;
  }
  // A row is its pixels and one byte. Seven passes have no more than twice the rows, and each a byte to fill.
  const rowBytes = Math.ceil((width * samples * depth) / 8) + 1;
  const bytesMax = interlace === 0 ? rowBytes * height : 2 * (rowBytes + 1) * (height + 7);
  const packed = Buffer.concat(chunks.flatMap(({ type, content }) => (type === "IDAT" ? [content] : [])));
  const bytes = unpackedLength(packed, bytesMax);
  return bytes === bytesMax || (interlace === 1 && bytes !== undefined && bytes > 0);
}

/** Undefined: it does not unpack, or to more than it may be. */
function unpackedLength(packed: Buffer, bytesMax: number): number | undefined {
  try {
    return inflateSync(packed, { maxOutputLength: bytesMax }).length;
  } catch {
    // Whatever is wrong with it, the image is damaged.
    return undefined;
  }
}
