import { StringDecoder } from "node:string_decoder";
import type { EncodingFound } from "./encoding.js";
import { fileChunks } from "./file-chunks.js";
import { withoutForbidden } from "./xml-text.js";

/** The text of a file, without byte order mark and without the characters that no sheet may hold. */
export async function* textChunks(path: string, { encoding, bomBytes }: EncodingFound): AsyncGenerator<string> {
  const decoder = decoders[encoding]();
  for await (const bytes of fileChunks(path, bomBytes)) {
    yield withoutForbidden(decoder.write(bytes));
  }
  yield withoutForbidden(decoder.end());
}

/** The text of the first bytes of a file, less a character that they cut in two. */
export function decodeStart(start: Buffer, { encoding, bomBytes }: EncodingFound): string {
  return withoutForbidden(decoders[encoding]().write(start.subarray(bomBytes)));
}

/** Bytes that are windows-1252 as text. */
function fromWindows1252(bytes: Buffer): string {
  return bytes.toString("latin1").replace(/[\x80-\x9f]/g, (control) => {
    return windows1252[control.charCodeAt(0) - 0x80] ?? control;
  });
}

interface Decoder {
  write(bytes: Buffer): string;
  end(): string;
}

const decoders: Record<EncodingFound["encoding"], () => Decoder> = {
  "utf-8": () => new StringDecoder("utf8"),
  "utf-16le": () => new StringDecoder("utf16le"),
  "utf-16be": () => utf16be(),
  "windows-1252": () => ({ write: fromWindows1252, end: () => "" }),
};

function utf16be(): Decoder {
  const decoder = new StringDecoder("utf16le");
  let odd = Buffer.alloc(0);
  return {
    write(bytes) {
      const joined = Buffer.concat([odd, bytes]);
      const whole = joined.length - (joined.length % 2);
      odd = Buffer.from(joined.subarray(whole));
      return decoder.write(joined.subarray(0, whole).swap16());
    },
    end: () => decoder.end(),
  };
}

// Some releases of Node decode windows-1252 as if it were latin-1, so the thirty-two characters that differ stand here.
const windows1252 =
  "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f" +
  "\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178";
