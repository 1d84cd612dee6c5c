import { Readable } from "node:stream";
import { callbackify } from "node:util";
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from "yauzl";
import { corrupt, passwordProtected, tooComplex } from "../faults.js";
import type { FileWindows } from "./file-windows.js";
import { RATIO_FROM_BYTES, RATIO_MAX, UNPACKED_MAX_BYTES, XML_MAX_BYTES, ZIP_MEMBERS_MAX } from "./limits.js";

/** A file in a zip file, as the central directory tells of it. */
export interface ZipMember {
  /** With slashes. Never absolute, and never out of the zip file. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly packedBytes: number;
  readonly isDeflated: boolean;
  readonly crc32: number;
  /** Where its packed bytes begin in the zip file. */
  start(): Promise<number>;
}

/**
 * What is in a zip file, folders left out, in the order in which it lies there. Throws `corrupt` for a directory that is
 * damaged or plays tricks, `tooComplex` for one that announces more than may be unpacked.
 */
export async function zipMembers(windows: FileWindows): Promise<ZipMember[]> {
  const zip = await readable(fromRandomAccessReaderPromise(new WindowsReader(windows), windows.sizeBytes));
  if (zip.entryCount > ZIP_MEMBERS_MAX) throw tooComplex();
  const entries = await readable(allEntries(zip));
  const files = entries.filter(({ fileName }) => !fileName.endsWith("/"));
  refuseBombs(files);
  refuseDuplicates(files);
  refuseOverlaps(entries, windows.sizeBytes);
  return files.map((entry) => member(zip, entry));
}

type Done = (error: Error | null) => void;

// The library asks for a class.
class WindowsReader extends RandomAccessReader {
  readonly #windows: FileWindows;
  readonly #fill: (target: Buffer, start: number, done: Done) => void;

  constructor(windows: FileWindows) {
    super();
    this.#windows = windows;
    this.#fill = callbackify(async (target: Buffer, start: number) => {
      const bytes = await windows.read(start, target.length);
      if (bytes.copy(target) < target.length) throw corrupt();
    });
  }

  override read(target: Buffer, offset: number, length: number, position: number, done: Done): void {
    this.#fill(target.subarray(offset, offset + length), position, done);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#windows.pieces(start, end));
  }
}

/** What the library throws speaks of the file, never of us: its reads are within a file that is there. */
async function readable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isSystemError(error)) throw error;
    throw corrupt();
  }
}

function isSystemError(error: unknown): boolean {
  return typeof error === "object" && error !== null && "syscall" in error;
}

async function allEntries(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  return entries;
}

function member(zip: ZipFile, entry: Entry): ZipMember {
  if (entry.isEncrypted()) throw passwordProtected();
  if (!entry.canDecodeFileData()) throw corrupt();
  return {
    path: entry.fileName,
    sizeBytes: entry.uncompressedSize,
    packedBytes: entry.compressedSize,
    isDeflated: entry.compressionMethod !== 0,
    crc32: entry.crc32,
    async start() {
      const { fileDataStart } = await readable(zip.readLocalFileHeaderPromise(entry, { minimal: true }));
      return fileDataStart;
    },
  };
}

function refuseBombs(files: readonly Entry[]): void {
  let unpackedBytes = 0;
  for (const { fileName, compressedSize, uncompressedSize } of files) {
    unpackedBytes += uncompressedSize;
    const isXml = /\.(?:xml|rels|vml|svg|rdf)$/i.test(fileName);
    const isDense = uncompressedSize > RATIO_FROM_BYTES && uncompressedSize > RATIO_MAX * compressedSize;
    if (isDense || (isXml && uncompressedSize > XML_MAX_BYTES)) throw tooComplex();
  }
  if (unpackedBytes > UNPACKED_MAX_BYTES) throw tooComplex();
}

/** Two parts of one name, which some readers take for the same in upper case, too: each reader may see another. */
function refuseDuplicates(files: readonly Entry[]): void {
  const paths = new Set(files.map(({ fileName }) => fileName.toLowerCase()));
  if (paths.size < files.length) throw corrupt();
}

const LOCAL_HEADER_BYTES = 30;

/** Members that share bytes make a small file a huge one. */
function refuseOverlaps(entries: readonly Entry[], sizeBytes: number): void {
  const inOrder = entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader);
  let free = 0;
  for (const { relativeOffsetOfLocalHeader: start, fileNameRaw, compressedSize } of inOrder) {
    if (start < free) throw corrupt();
    free = start + LOCAL_HEADER_BYTES + fileNameRaw.length + compressedSize;
  }
  if (free > sizeBytes) throw corrupt();
}
