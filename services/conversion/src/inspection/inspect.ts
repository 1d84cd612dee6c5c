import { empty, unsupported } from "../faults.js";
import type { Format } from "../format.js";
import { contentFormat } from "./content-format.js";
import { extensionOf } from "./file-name.js";
import { openWindows } from "./file-windows.js";
import { extensionsOf, formatOf, formats } from "./formats.js";
import { fits } from "./name-fit.js";

/** A file that somebody sent, on disk, with the name that it had there. */
interface SentFile {
  readonly path: string;
  readonly name: string;
  readonly sizeBytes: number;
}

/**
 * Finds out by its content which format a file is, and whether an engine may touch it at all. Throws `empty`; `unsupported`
 * for unknown content and for content that is not what the name says; `corrupt`, `passwordProtected`, `tooComplex`.
 */
export async function inspect({ path, name, sizeBytes }: SentFile): Promise<Format> {
  if (sizeBytes === 0) throw empty();
  const windows = await openWindows(path);
  try {
    const nameExtension = extensionOf(name);
    const extension = await contentFormat(windows, nameExtension);
    const format = formatOf(extension ?? "");
    if (format === undefined) throw unsupported(extension ?? null, all());
    if (!fits(format, nameExtension)) throw unsupported(format.extension, extensionsOf(format));
    return format;
  } finally {
    await windows.close();
  }
}

function all(): string[] {
  return formats.flatMap(extensionsOf);
}
