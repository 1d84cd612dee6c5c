import { constants, createWriteStream } from "node:fs";
import { chmod, copyFile, open, readdir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Source } from "../engine.js";
import { findEncoding } from "../tables/encoding.js";
import { textChunks } from "../tables/text-chunks.js";
import { hasCode } from "./error-code.js";
import type { Owner } from "./slot-folder.js";
import { give, type JobFolder } from "./slot-folder.js";

/**
 * Puts a copy of the source where the office gets at it, and answers its name there. The office never sees the source
 * itself: whatever it does to its copy, a second try starts from the same bytes.
 */
export async function placeInput(source: Source, folder: JobFolder, owner: Owner | undefined): Promise<string> {
  const name = `input.${source.format.extension}`;
  const path = join(folder.path, name);
  if (TEXTS.has(source.format.extension)) {
    // The office is told, or finds by itself, that it is UTF-8; other encodings it would guess.
    const text = textChunks(source.path, await findEncoding(source.path));
    await pipeline(text, createWriteStream(path, { flags: "wx", mode: 0o400 }));
  } else {
    await copyFile(source.path, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await chmod(path, 0o400);
  }
  await give(path, owner);
  await give(folder.path, owner);
  return join(folder.name, name);
}

/** Copies what the office made. Throws if that is no file: a link could lead to whatever this process may read. */
export async function takeOutput(from: string, to: string): Promise<void> {
  const output = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await output.stat();
    if (!stats.isFile() || stats.nlink !== 1) {
      throw new Error("what the office made is no file of its own");
    }
    await pipeline(output.createReadStream({ autoClose: false }), createWriteStream(to, { mode: 0o600 }));
  } finally {
    await output.close();
  }
}

/** Removes what a job left. Anything odd stays until nothing runs in the folder of the slot any more. */
export async function clearJobFolder({ path }: JobFolder): Promise<void> {
  try {
    const names = await readdir(path);
    await Promise.allSettled(names.map((name) => unlink(join(path, name))));
    await rmdir(path);
  } catch (error) {
    // All of the slot may be gone by now.
    if (!hasCode(error, "ENOTEMPTY", "ENOENT")) throw error;
  }
}

const TEXTS = new Set(["txt", "csv", "tsv"]);
