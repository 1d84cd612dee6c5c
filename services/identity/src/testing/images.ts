import { crc32, deflateSync } from "node:zlib";

/** A PNG of one colour; what is given of its parts replaces them. */
export function png(
  width: number,
  height: number,
  parts: { bits?: Buffer; colour?: number; after?: Buffer } = {},
): Buffer {
  const { colour = 0, bits = Buffer.alloc((Math.ceil(width * (colour === 6 ? 4 : 1)) + 1) * height) } = parts;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colour, 0, 0, 0], 8);
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  const chunks = [chunk("IHDR", header), chunk("IDAT", deflateSync(bits)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks, parts.after ?? Buffer.alloc(0)]);
}

export function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}

/** An ICO of these images; each may lie about where it is. */
export function ico(images: readonly Buffer[], place: { start?: number; length?: number } = {}): Buffer {
  const header = Buffer.alloc(6 + 16 * images.length);
  header.set([0, 0, 1, 0, images.length, 0]);
  let start = header.length;
  for (const [index, image] of images.entries()) {
    header.writeUInt32LE(place.length ?? image.length, 6 + 16 * index + 8);
    header.writeUInt32LE(place.start ?? start, 6 + 16 * index + 12);
    start += image.length;
  }
  return Buffer.concat([header, ...images]);
}

/** The bitmap of an ICO: 32 bits a pixel, and the mask. */
export function bitmap(width: number, height: number): Buffer {
  const header = Buffer.alloc(40);
  header.writeUInt32LE(40, 0);
  header.writeInt32LE(width, 4);
  header.writeInt32LE(2 * height, 8);
  header.set([1, 0, 32, 0], 12);
  return Buffer.concat([header, Buffer.alloc(Math.max(0, width * 4 * height) + Math.ceil(width / 32) * 4 * height)]);
}
