import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, copyFile, type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** A result on disk. */
export interface KeptResult {
  readonly sizeBytes: number;
  readonly keptAtMs: number;
}

export interface OpenResult {
  readonly file: FileHandle;
  readonly sizeBytes: number;
}

/**
 * The files of results in one folder. The size stands in a file's name, so a file that was cut short is known as such: by
 * a machine that lost its power, say.
 */
export interface ResultFiles {
  /** What an earlier process has left, the oldest first; what is no whole result is removed. */
  find(): Promise<[key: string, result: KeptResult][]>;
  /** Undefined if it is gone or not whole. */
  open(key: string, sizeBytes: number): Promise<OpenResult | undefined>;
  /** Copies, for whoever made the file may still have it open; nobody ever sees half of it. */
  add(key: string, sizeBytes: number, path: string): Promise<void>;
  remove(key: string, sizeBytes: number): Promise<void>;
}

/** Throws if the folder cannot be made, or belongs to somebody else. */
export async function openResultFiles(folder: string): Promise<ResultFiles> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  const pathOf = (key: string, sizeBytes: number) => join(folder, `${key}-${sizeBytes}`);
  return {
    async find() {
      const found: [string, KeptResult][] = [];
      for (const name of await readdir(folder)) {
        const result = await readResult(folder, name);
        if (result !== undefined) found.push(result);
      }
      return found.sort(([, one], [, other]) => one.keptAtMs - other.keptAtMs);
    },
    open: (key, sizeBytes) => openWhole(pathOf(key, sizeBytes), sizeBytes),
    async add(key, sizeBytes, path) {
      const draft = join(folder, `${DRAFT}${randomUUID()}`);
      try {
        await copyFile(path, draft, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        await chmod(draft, 0o600);
        await rename(draft, pathOf(key, sizeBytes));
      } finally {
        await rm(draft, { force: true });
      }
    },
    remove: (key, sizeBytes) => rm(pathOf(key, sizeBytes), { force: true }),
  };
}

const DRAFT = "draft-";

// Files with other names are not ours to touch.
async function readResult(folder: string, name: string): Promise<[string, KeptResult] | undefined> {
  const [, key, size] = /^([0-9a-f]{64})-(\d+)$/.exec(name) ?? [];
  const path = join(folder, name);
  if (key === undefined) {
    if (name.startsWith(DRAFT)) await rm(path, { force: true });
    return undefined;
  }
  const about = await stat(path);
  if (about.size === Number(size)) {
    return [key, { sizeBytes: about.size, keptAtMs: about.mtimeMs }];
  }
  await rm(path, { force: true });
  return undefined;
}

async function openWhole(path: string, sizeBytes: number): Promise<OpenResult | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch {
    // Somebody tidied up. Whatever else it may be, the result can be made again.
    return undefined;
  }
  if ((await file.stat()).size === sizeBytes) {
    return { file, sizeBytes };
  }
  await file.close();
  return undefined;
}
