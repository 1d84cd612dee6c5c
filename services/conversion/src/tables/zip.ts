import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";

import { pipeline } from "node:stream/promises";
import { crc32, createDeflateRaw } from "node:zlib";
import { tooComplex } from "../faults.js";

export interface ZipPart {
  /** In ASCII. */
  readonly path: string;
  pieces(): Iterable<Buffer> | AsyncIterable<Buffer>;
}

/**
 * Writes a zip of parts, each asked for its pieces when its turn comes. Dates are fixed: the same pieces give the same bytes.
 * Throws a Fault if a part has 4 GiB or more, and the reason of the signal once that is aborted.
 */
export async function writeZip(path: string, parts: Iterable<ZipPart>, signal: AbortSignal): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    const written: WrittenPart[] = [];
    let offset = 0;
    for (const part of parts) {
      const entry = await writePart({ file, offset, signal }, part);
      written.push(entry);
      offset += HEADER_BYTES + part.path.length + entry.packedBytes;
    }
    await file.write(directory(written, offset), 0, null, offset);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await file.close();
  }
}

interface WrittenPart {
  readonly path: string;
  readonly offset: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly sizeBytes: number;
}

interface Target {
  readonly file: FileHandle;
  readonly offset: number;
  readonly signal: AbortSignal;
}

const HEADER_BYTES = 30;
const SIZE_MAX = 0xffff_ffff;
// Five times as fast as the usual 6, for a tenth more bytes.
const LEVEL = 2;
const DEFLATE_CHUNK_BYTES = 64 * 1024;

/** The header is written last: only then its sum and sizes are known. */
async function writePart({ file, offset, signal }: Target, { path, pieces }: ZipPart): Promise<WrittenPart> {
  let crc = 0;
  let sizeBytes = 0;
  let packedBytes = 0;
  const start = offset + HEADER_BYTES + path.length;
  async function* counted(source: AsyncIterable<Buffer>) {
    for await (const piece of source) {
      crc = crc32(piece, crc);
      sizeBytes += piece.length;
      if (sizeBytes > SIZE_MAX) throw tooComplex();
      yield piece;
    }
  }
  async function store(packed: AsyncIterable<Buffer>) {
    for await (const bytes of packed) {
      await file.write(bytes, 0, null, start + packedBytes);
      packedBytes += bytes.length;
    }
  }
  const deflate = createDeflateRaw({ level: LEVEL, chunkSize: DEFLATE_CHUNK_BYTES });
  await pipeline(Readable.from(pieces()), counted, deflate, store, { signal });
  const part = { path, offset, crc, packedBytes, sizeBytes };
  await file.write(Buffer.concat([localHeader(part), Buffer.from(path)]), 0, null, offset);
  return part;
}

const LOCAL_SIGNATURE = 0x04034b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const END_SIGNATURE = 0x06054b50;
const VERSION = 20;
const DEFLATED = 8;
/** The first of January 1980, the first day that a zip knows. */
const DOS_DATE = 0x0021;

function localHeader(part: WrittenPart): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(LOCAL_SIGNATURE, 0);
  writeFacts(header, 4, part);
  return header;
}

/** The fields that the header of a part and its entry in the directory have in common. */
function writeFacts(header: Buffer, at: number, { path, crc, packedBytes, sizeBytes }: WrittenPart): void {
  header.writeUInt16LE(VERSION, at);
  header.writeUInt16LE(DEFLATED, at + 4);
  header.writeUInt16LE(DOS_DATE, at + 8);
  header.writeUInt32LE(crc, at + 10);
  header.writeUInt32LE(packedBytes, at + 14);
  header.writeUInt32LE(sizeBytes, at + 18);
  header.writeUInt16LE(path.length, at + 22);
}

function directory(parts: readonly WrittenPart[], offset: number): Buffer {
  const entries = Buffer.concat(parts.flatMap((part) => [directoryEntry(part), Buffer.from(part.path)]));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END_SIGNATURE, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([entries, end]);
}

function directoryEntry(part: WrittenPart): Buffer {
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(CENTRAL_SIGNATURE, 0);
  entry.writeUInt16LE(VERSION, 4);
  writeFacts(entry, 6, part);
  entry.writeUInt32LE(part.offset, 42);
  return entry;
}
