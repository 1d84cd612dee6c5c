import { Readable } from "node:stream";
import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import { corrupt } from "../faults.js";
import type { FileWindows } from "./file-windows.js";
import type { ZipMember } from "./zip-members.js";

/**
 * Unpacks a member piece by piece. Throws `corrupt` unless it is exactly what the directory says: its size, checked before
 * more is unpacked, and its checksum.
 */
export async function unpack(windows: FileWindows, member: ZipMember, take: (piece: Buffer) => void): Promise<void> {
  let sizeBytes = 0;
  let checksum = 0;
  const check = (piece: Buffer) => {
    sizeBytes += piece.length;
    if (sizeBytes > member.sizeBytes) throw corrupt();
    checksum = crc32(piece, checksum);
    if (piece.length > 0) take(piece);
  };
  const start = await member.start();
  if (start + member.packedBytes > windows.sizeBytes) throw corrupt();
  const isSmall = Math.max(member.packedBytes, member.sizeBytes) <= AT_ONCE_MAX_BYTES;
  if (isSmall) check(await unpackAtOnce(windows, member, start));
  else await unpackInPieces(windows, member, start, check);
  if (sizeBytes !== member.sizeBytes || checksum !== member.crc32) throw corrupt();
}

/** A stream costs as much as half a megabyte of unpacking. */
const AT_ONCE_MAX_BYTES = 524_288;
const PIECE_BYTES = 262_144;

async function unpackAtOnce(windows: FileWindows, member: ZipMember, start: number): Promise<Buffer> {
  const packed = await windows.read(start, member.packedBytes);
  if (!member.isDeflated) return packed;
  return deflated(() => inflateRawSync(packed, { maxOutputLength: Math.max(member.sizeBytes, 1) }));
}

async function unpackInPieces(
  windows: FileWindows,
  member: ZipMember,
  start: number,
  check: (piece: Buffer) => void,
): Promise<void> {
  const packed = windows.pieces(start, start + member.packedBytes);
  if (!member.isDeflated) {
    for await (const piece of packed) check(piece);
    return;
  }
  const source = Readable.from(packed);
  const inflate = createInflateRaw({ chunkSize: PIECE_BYTES });
  source.once("error", (error) => inflate.destroy(error));
  source.pipe(inflate);
  try {
    for await (const piece of inflate) check(piece);
  } catch (error) {
    throw isDeflateError(error) ? corrupt() : error;
  } finally {
    source.destroy();
  }
}

function deflated(work: () => Buffer): Buffer {
  try {
    return work();
  } catch (error) {
    throw isDeflateError(error) ? corrupt() : error;
  }
}

/** Data that is no deflate stream, ends too early or goes on too long. */
function isDeflateError(error: unknown): boolean {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" && DEFLATE_ERRORS.has(code);
}

const DEFLATE_ERRORS = new Set(["Z_DATA_ERROR", "Z_BUF_ERROR", "Z_NEED_DICT", "ERR_BUFFER_TOO_LARGE"]);
