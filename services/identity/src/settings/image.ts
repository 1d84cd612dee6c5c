import { valueError, violation } from "@assistant/kit/rules/violation.js";
import { Fault, invalid } from "@assistant/kit/wire/fault.js";
import { readIco } from "./ico.js";
import { readPng, type Size } from "./png.js";
import { cleanSvg, isTooComplex, TAGS_MAX } from "./svg.js";

export type ImageType = "image/png" | "image/svg+xml" | "image/x-icon";

export interface Image {
  mediaType: ImageType;
  content: Buffer;
}

/** What an icon is by its own bytes, whatever anybody calls it; of an SVG the harmless drawing. Throws for all else. */
export function readImage(bytes: Buffer): Image {
  if (bytes.subarray(0, PNG.length).equals(PNG)) {
    requireSizes([readPng(bytes)]);
    return { mediaType: "image/png", content: bytes };
  }
  if (bytes.subarray(0, ICO.length).equals(ICO)) {
    requireSizes(readIco(bytes));
    return { mediaType: "image/x-icon", content: bytes };
  }
  if (/^(?:\xef\xbb\xbf)?\s*</.test(bytes.toString("latin1", 0, SNIFFED_BYTES))) {
    if (isTooComplex(bytes)) {
      throw invalid(valueError(["data"], `The drawing has more than ${TAGS_MAX} tags`));
    }
    const drawing = cleanSvg(bytes);
    if (drawing === undefined) {
      throw damaged();
    }
    return { mediaType: "image/svg+xml", content: Buffer.from(drawing) };
  }
  const detected = { detected: "application/octet-stream" };
  const violations = [violation(["data"], "unsupported_media_type", "Unsupported Media Type", detected)];
  throw new Fault("unsupported", "no kind of image that an icon may be", { violations });
}

const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const ICO = Buffer.from("00000100", "hex");
const SNIFFED_BYTES = 512;
const SIDE_MAX = 1_024;

function requireSizes(sizes: readonly (Size | undefined)[]): void {
  for (const size of sizes) {
    if (size === undefined || size.width < 1 || size.height < 1) {
      throw damaged();
    }
    if (size.width > SIDE_MAX || size.height > SIDE_MAX) {
      throw invalid(valueError(["data"], `The image has more than ${SIDE_MAX} pixels a side`));
    }
  }
}

function damaged(): Fault {
  return invalid(violation(["data"], "file_corrupt", "The file is damaged or not what its name says"));
}
