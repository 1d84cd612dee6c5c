import { tooComplex } from "../faults.js";
import { PIXELS_MAX } from "./limits.js";

/** Measures a picture as its bytes pass. */
export interface PixelCheck {
  /** Throws `tooComplex` once it is known that the picture has too many pixels. */
  take(piece: Buffer): void;
  end(): void;
  /** Whether the picture's size was found. */
  isMeasured(): boolean;
}

export function refuseHuge(width: number, height: number): void {
  if (width * height > PIXELS_MAX) throw tooComplex();
}
