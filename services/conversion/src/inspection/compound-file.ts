import { corrupt } from "../faults.js";
import type { FileWindows } from "./file-windows.js";

/** A stream of a compound file ([MS-CFB]), the container of Office 97 to 2003. */
export interface CompoundStream {
  /** In lower case: readers do not tell cases apart. */
  readonly name: string;
  readonly sizeBytes: number;
  /** The first bytes, at most 128. Throws `corrupt` unless all sectors of the stream are in the file. */
  head(): Promise<Buffer>;
}

/**
 * The streams and storages at the root of a compound file; what is in storages belongs to embedded objects. Reads the
 * allocation table and the directory, never the streams: the usual library holds the file in memory twice.
 */
export async function rootStreams(windows: FileWindows): Promise<CompoundStream[]> {
  const file = await openCompound(windows);
  const directory = await chainBytes(file, file.directoryStart, DIRECTORY_MAX_BYTES);
  const root = entryAt(directory, 0);
  if (root === undefined) throw corrupt();
  refuseCut(file, root);
  const ids = [root.child];
  const seen = new Set<number>();
  const streams: CompoundStream[] = [];
  for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
    if (id === NONE) continue;
    const entry = entryAt(directory, id);
    if (entry === undefined || seen.has(id)) throw corrupt();
    seen.add(id);
    ids.push(entry.left, entry.right);
    streams.push({ name: entry.name, sizeBytes: entry.sizeBytes, head: () => headOf(file, root, entry) });
  }
  return streams;
}

interface CompoundFile {
  windows: FileWindows;
  sectorBytes: number;
  /** For each sector the next one of its stream. */
  next: Uint32Array;
  directoryStart: number;
  miniTableStart: number;
  /** Streams under this size lie in mini sectors. */
  miniBelowBytes: number;
}

interface DirectoryEntry {
  name: string;
  left: number;
  right: number;
  child: number;
  start: number;
  sizeBytes: number;
}

/** End of chain, free, and the like begin here. */
const SPECIAL = 0xfffffffa;
const NONE = 0xffffffff;
const HEADER_BYTES = 512;
const HEADER_TABLE_SECTORS = 109;
const ENTRY_BYTES = 128;
const MINI_SECTOR_BYTES = 64;
const HEAD_MAX_BYTES = 128;
/** 32,768 entries: a document with more embedded objects opens nowhere. */
const DIRECTORY_MAX_BYTES = 4_194_304;

async function openCompound(windows: FileWindows): Promise<CompoundFile> {
  const header = await windows.read(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.readUInt16LE(28) !== 0xfffe) throw corrupt();
  const shift = header.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) throw corrupt();
  const sectorBytes = 1 << shift;
  return {
    windows,
    sectorBytes,
    next: await allocationTable(windows, header, sectorBytes),
    directoryStart: header.readUInt32LE(48),
    miniTableStart: header.readUInt32LE(60),
    miniBelowBytes: header.readUInt32LE(56),
  };
}

async function allocationTable(windows: FileWindows, header: Buffer, sectorBytes: number): Promise<Uint32Array> {
  const sectors = Math.ceil(windows.sizeBytes / sectorBytes) - 1;
  const perSector = sectorBytes / 4;
  const count = header.readUInt32LE(44);
  // Some programs keep tables with room for more sectors than there are.
  if (count === 0 || count > 2 * Math.ceil(sectors / perSector) + 8) throw corrupt();
  const places = await tablePlaces(windows, header, sectorBytes, count);
  const table = new Uint32Array(count * perSector);
  for (const [index, place] of places.entries()) {
    const bytes = await sector(windows, sectorBytes, place);
    for (let at = 0; at < perSector; at += 1) table[index * perSector + at] = bytes.readUInt32LE(4 * at);
  }
  return table;
}

/** In which sectors the allocation table is: the first 109 stand in the header, more in a chain of sectors. */
async function tablePlaces(
  windows: FileWindows,
  header: Buffer,
  sectorBytes: number,
  count: number,
): Promise<number[]> {
  const places: number[] = [];
  for (let at = 0; at < Math.min(count, HEADER_TABLE_SECTORS); at += 1) places.push(header.readUInt32LE(76 + 4 * at));
  let chained = header.readUInt32LE(68);
  while (places.length < count) {
    const bytes = await sector(windows, sectorBytes, chained);
    const end = sectorBytes - 4;
    for (let at = 0; at < end && places.length < count; at += 4) places.push(bytes.readUInt32LE(at));
    chained = bytes.readUInt32LE(end);
  }
  return places;
}

/** The last sector of a file may be cut where its stream ends; it is filled up with zeros. */
async function sector(windows: FileWindows, sectorBytes: number, id: number): Promise<Buffer> {
  const bytes = await windows.read((id + 1) * sectorBytes, sectorBytes);
  if (bytes.length === sectorBytes) return bytes;
  if (bytes.length === 0) throw corrupt();
  return Buffer.concat([bytes], sectorBytes);
}

/** The sectors of a stream in order. Throws `corrupt` where the chain leaves the file or runs in a circle. */
function* chain({ next, windows, sectorBytes }: CompoundFile, start: number): Generator<number> {
  let id = start;
  for (let count = 0; id < SPECIAL; count += 1) {
    const isOutside = id >= next.length || (id + 1) * sectorBytes >= windows.sizeBytes;
    if (isOutside || count >= next.length) throw corrupt();
    yield id;
    id = next[id] ?? NONE;
  }
}

async function chainBytes(file: CompoundFile, start: number, maxBytes: number): Promise<Buffer> {
  const sectors: Buffer[] = [];
  for (const id of chain(file, start)) {
    if (sectors.length * file.sectorBytes >= maxBytes) throw corrupt();
    sectors.push(await sector(file.windows, file.sectorBytes, id));
  }
  return Buffer.concat(sectors);
}

function entryAt(directory: Buffer, id: number): DirectoryEntry | undefined {
  const entry = directory.subarray(id * ENTRY_BYTES, (id + 1) * ENTRY_BYTES);
  if (entry.length < ENTRY_BYTES || entry[66] === 0) return undefined;
  const nameBytes = Math.min(Math.max(entry.readUInt16LE(64) - 2, 0), 62);
  return {
    name: entry.toString("utf16le", 0, nameBytes).toLowerCase(),
    left: entry.readUInt32LE(68),
    right: entry.readUInt32LE(72),
    child: entry.readUInt32LE(76),
    start: entry.readUInt32LE(116),
    sizeBytes: entry.readUInt32LE(120),
  };
}

async function headOf(file: CompoundFile, root: DirectoryEntry, entry: DirectoryEntry): Promise<Buffer> {
  const length = Math.min(entry.sizeBytes, HEAD_MAX_BYTES);
  if (length === 0) return Buffer.alloc(0);
  const isMini = entry.sizeBytes < file.miniBelowBytes;
  const bytes = isMini ? await miniHead(file, root, entry.start) : await wholeHead(file, entry);
  if (bytes.length < length) throw corrupt();
  return bytes.subarray(0, length);
}

function refuseCut(file: CompoundFile, { start, sizeBytes }: DirectoryEntry): void {
  let sectors = 0;
  for (const _ of chain(file, start)) sectors += 1;
  if (sectors * file.sectorBytes < sizeBytes) throw corrupt();
}

function wholeHead(file: CompoundFile, entry: DirectoryEntry): Promise<Buffer> {
  refuseCut(file, entry);
  return file.windows.read((entry.start + 1) * file.sectorBytes, HEAD_MAX_BYTES);
}

/** Mini sectors lie one after the other in the stream of the root, and have a table of their own. */
async function miniHead(file: CompoundFile, root: DirectoryEntry, start: number): Promise<Buffer> {
  const sectors = [...chain(file, root.start)];
  const table = await chainBytes(file, file.miniTableStart, DIRECTORY_MAX_BYTES);
  const pieces: Buffer[] = [];
  let id = start;
  while (id < SPECIAL && pieces.length * MINI_SECTOR_BYTES < HEAD_MAX_BYTES) {
    const position = id * MINI_SECTOR_BYTES;
    const holder = sectors[Math.floor(position / file.sectorBytes)];
    if (holder === undefined || 4 * id + 4 > table.length) throw corrupt();
    const place = (holder + 1) * file.sectorBytes + (position % file.sectorBytes);
    pieces.push(await file.windows.read(place, MINI_SECTOR_BYTES));
    id = table.readUInt32LE(4 * id);
  }
  return Buffer.concat(pieces);
}
