import { promisify } from "node:util";
import { crc32, inflate } from "node:zlib";
import { Refused } from "./basic-task.js";

/** Refuses a PNG that is not whole to the last bit: what decodes it may search in vain for what is missing, for ever. */
export async function checkPng(bytes: Buffer): Promise<void> {
  const pieces: Buffer[] = [];
  let header: Buffer | undefined;
  for (const { type, content } of chunksOf(bytes)) {
    if (type === "IHDR") header = content;
    if (type === "IDAT") pieces.push(content);
  }
  const neededBytes = header === undefined ? Number.NaN : pixelBytes(header);
  // One more, so that too much is seen without being unpacked. What does not unpack is as broken as what is
  // too short.
  const pixels = await unpack(Buffer.concat(pieces), { maxOutputLength: neededBytes + 1 || 1 }).catch(() => undefined);
  if (pixels?.length !== neededBytes) throw broken();
}

const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate);

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const HEADER_BYTES = 13;
/** Length, type and checksum. */
const FRAME_BYTES = 12;

function* chunksOf(bytes: Buffer): Generator<{ type: string; content: Buffer }> {
  let at = SIGNATURE.length;
  if (!bytes.subarray(0, at).equals(SIGNATURE)) throw broken();
  for (let type = ""; type !== "IEND"; ) {
    if (at + FRAME_BYTES > bytes.length) throw broken();
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length || crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) throw broken();
    type = bytes.toString("latin1", at + 4, at + 8);
    yield { type, content: bytes.subarray(at + 8, end) };
    at = end + 4;
  }
}

/** How many bytes the pixels take, each row with a byte before it. NaN for what no PNG is. */
function pixelBytes(header: Buffer): number {
  if (header.length !== HEADER_BYTES) return Number.NaN;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth = 0, colour = 0] = header.subarray(8);
  const bits = depth * (CHANNELS[colour] ?? Number.NaN);
  const rows = (across: number, down: number) => (across === 0 ? 0 : down * (1 + Math.ceil((across * bits) / 8)));
  if (header[12] === 0) return rows(width, height);
  return ADAM7.reduce(
    (sum, [x, y, stepX, stepY]) => sum + rows(Math.ceil((width - x) / stepX), Math.ceil((height - y) / stepY)),
    0,
  );
}

/** By colour type: grey, RGB, palette, grey and alpha, RGB and alpha. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Of each pass of an interlaced picture: where it begins and how far it steps. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

function broken(): Refused {
  return new Refused("corrupt", "the PNG is not whole");
}
