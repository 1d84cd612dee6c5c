import type { Log } from "@assistant/kit/process/log.js";
import { type KeptResult, type OpenResult, openResultFiles } from "./result-files.js";

/** Results by the hash of all that they depend on, on disk: the process may restart, the results stay. */
export interface ResultCache {
  /** The result under a key, open for reading; undefined if there is none. */
  open(key: string): Promise<OpenResult | undefined>;
  /** Takes a copy of a file, unless it is too large a part of the whole. Never throws: a cache is no place to fail. */
  keep(key: string, path: string, sizeBytes: number): Promise<void>;
  close(): void;
}

export interface ResultCacheOptions {
  /** Of this cache alone; made readable for nobody else. */
  readonly folder: string;
  /** Room on disk; 0 keeps nothing. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly log: Log;
  readonly clock?: () => number;
}

export async function openResultCache(options: ResultCacheOptions): Promise<ResultCache> {
  const { folder, maxBytes, maxAgeMs, log, clock = Date.now } = options;
  const files = await openResultFiles(folder);
  const shelf = createShelf(await files.find());
  const isOld = ({ keptAtMs }: KeptResult) => keptAtMs + maxAgeMs < clock();

  const drop = (key: string) => {
    const result = shelf.take(key);
    return result === undefined ? Promise.resolve() : files.remove(key, result.sizeBytes);
  };
  const makeRoom = async (neededBytes: number) => {
    for (
      let key = shelf.first();
      key !== undefined && shelf.heldBytes() + neededBytes > maxBytes;
      key = shelf.first()
    ) {
      await drop(key);
    }
  };
  const dropOld = async () => {
    for (const [key, result] of shelf.all()) {
      if (isOld(result)) await drop(key);
    }
  };
  const add = async (key: string, path: string, sizeBytes: number) => {
    await makeRoom(roomOf(sizeBytes));
    await files.add(key, sizeBytes, path);
    shelf.put(key, { sizeBytes, keptAtMs: clock() });
    // Others may have been added meanwhile.
    await makeRoom(0);
  };
  const orSay = (work: Promise<void>) =>
    work.catch((error: unknown) => log.warn({ err: error, folder }, "the cache of results does not work"));

  await orSay(dropOld().then(() => makeRoom(0)));
  const sweep = setInterval(() => void orSay(dropOld()), SWEEP_MS);
  sweep.unref();
  return {
    async open(key) {
      const result = shelf.find(key);
      if (result === undefined) return undefined;
      const found = isOld(result) ? undefined : await files.open(key, result.sizeBytes);
      await (found === undefined ? orSay(drop(key)) : shelf.touch(key));
      return found;
    },
    async keep(key, path, sizeBytes) {
      if (roomOf(sizeBytes) <= maxBytes / LEAST_RESULTS && shelf.find(key) === undefined) {
        await orSay(add(key, path, sizeBytes));
      }
    },
    close: () => clearInterval(sweep),
  };
}

const SWEEP_MS = 60_000;
/** So many results find room, whatever their size: one huge one does not push out all others. */
const LEAST_RESULTS = 4;
const BLOCK_BYTES = 4_096;

/** What a file takes on disk; so the number of files is bounded too. */
function roomOf(sizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / BLOCK_BYTES)) * BLOCK_BYTES;
}

/** What is kept, in the order of its last use: a map keeps the order in which its keys came in. */
function createShelf(found: readonly (readonly [string, KeptResult])[]) {
  const results = new Map<string, KeptResult>();
  let heldBytes = 0;
  const take = (key: string): KeptResult | undefined => {
    const result = results.get(key);
    if (result !== undefined) heldBytes -= roomOf(result.sizeBytes);
    results.delete(key);
    return result;
  };
  const put = (key: string, result: KeptResult) => {
    take(key);
    results.set(key, result);
    heldBytes += roomOf(result.sizeBytes);
  };
  for (const [key, result] of found) put(key, result);
  return {
    heldBytes: () => heldBytes,
    first: () => results.keys().next().value,
    all: () => [...results],
    find: (key: string) => results.get(key),
    take,
    put,
    touch: (key: string) => {
      const result = results.get(key);
      if (result !== undefined) put(key, result);
    },
  };
}
