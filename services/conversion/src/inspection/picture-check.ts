import { corrupt } from "../faults.js";
import type { FileWindows } from "./file-windows.js";
import { pixelCheck } from "./pixel-check.js";

/** Throws `tooComplex` for a picture of too many pixels, `corrupt` for one that does not tell, or that is cut short. */
export async function checkPicture(windows: FileWindows, extension: string): Promise<void> {
  const check = pixelCheck();
  for await (const piece of windows.pieces()) {
    check.take(piece);
    if (check.isMeasured()) break;
  }
  check.end();
  if (!check.isMeasured()) throw corrupt();
  if (extension === "png" && !(await endsAs(windows, "IEND"))) throw corrupt();
}

async function endsAs(windows: FileWindows, mark: string): Promise<boolean> {
  const tail = await windows.read(Math.max(0, windows.sizeBytes - TAIL_BYTES), TAIL_BYTES);
  return tail.includes(mark);
}

/** Programs append to pictures what is theirs. */
const TAIL_BYTES = 65_536;
