import { TextDecoder } from "node:util";
import { fileStart, findEncoding } from "./encoding.js";
import { fileChunks } from "./file-chunks.js";
import { textChunks } from "./text-chunks.js";

/** The text of a page: by its byte order mark, else as UTF-8 if it is that, else by what it says of itself, else windows-1252. */
export async function* htmlText(path: string): AsyncGenerator<string> {
  const found = await findEncoding(path);
  const isCertain = found.bomBytes > 0 || found.encoding !== "windows-1252";
  const declared = isCertain
    ? undefined
    : declaredDecoder((await fileStart(path, DECLARATION_BYTES)).toString("latin1"));
  if (declared === undefined) {
    yield* textChunks(path, found);
    return;
  }
  for await (const bytes of fileChunks(path)) {
    yield declared.decode(bytes, { stream: true });
  }
  yield declared.decode();
}

const DECLARATION_BYTES = 4096;

/** Undefined for windows-1252, under any of its names, and for what nobody knows. */
function declaredDecoder(start: string): TextDecoder | undefined {
  const label = /<meta\b[^>]*?\bcharset\s*=\s*["']?([\w:.-]+)/i.exec(start)?.[1];
  if (label === undefined) return undefined;
  try {
    const decoder = new TextDecoder(label);
    return decoder.encoding === "windows-1252" ? undefined : decoder;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_ENCODING_NOT_SUPPORTED") return undefined;
    throw error;
  }
}
