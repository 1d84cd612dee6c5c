import { corrupt, passwordProtected } from "../faults.js";
import { type CompoundStream, rootStreams } from "./compound-file.js";
import type { FileWindows } from "./file-windows.js";
import { isLockedWorkbook } from "./workbook-lock.js";

/** The extension of the format that a compound file holds; undefined for what is neither Word, Excel nor PowerPoint. */
export async function compoundFormat(windows: FileWindows): Promise<string | undefined> {
  const streams = new Map((await rootStreams(windows)).map((stream) => [stream.name, stream]));
  if (PACKAGE_LOCKS.some((name) => streams.has(name))) throw passwordProtected();
  const word = streams.get("worddocument");
  if (word !== undefined) return opened("doc", isLockedDocument(await head(word, WORD_HEAD_BYTES)));
  const workbook = streams.get("workbook") ?? streams.get("book");
  if (workbook !== undefined) return opened("xls", isLockedWorkbook(await head(workbook, WORKBOOK_HEAD_BYTES)));
  if (!streams.has("powerpoint document")) return undefined;
  const user = streams.get("current user");
  const isLocked = user !== undefined && isLockedPresentation(await user.head());
  await streams.get("powerpoint document")?.head();
  return opened("ppt", isLocked);
}

/** The document itself, encrypted by a password or by rights management, in place of the usual streams. */
const PACKAGE_LOCKS = ["encryptedpackage", "\tdrmcontent"];

const WORD_HEAD_BYTES = 32;
const WORKBOOK_HEAD_BYTES = 8;

function opened(extension: string, isLocked: boolean): string {
  if (isLocked) throw passwordProtected();
  return extension;
}

async function head(stream: CompoundStream, leastBytes: number): Promise<Buffer> {
  const bytes = await stream.head();
  if (bytes.length < leastBytes) throw corrupt();
  return bytes;
}

/** `fEncrypted` of [MS-DOC] FibBase: encrypted or obfuscated, either way by a password. */
function isLockedDocument(fib: Buffer): boolean {
  return (fib.readUInt16LE(10) & 0x0100) !== 0;
}

/** `headerToken` of [MS-PPT] CurrentUserAtom. */
function isLockedPresentation(user: Buffer): boolean {
  return user.length >= 16 && user.readUInt32LE(12) === 0xf3d1c4df;
}
