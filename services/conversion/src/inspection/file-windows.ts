import { open } from "node:fs/promises";

/** A file read piece by piece, so that memory does not grow with it. */
export interface FileWindows {
  readonly sizeBytes: number;
  /** The bytes from `start`: `length` of them, fewer only where the file ends. */
  read(start: number, length: number): Promise<Buffer>;
  /** All bytes from `start` up to `end`. */
  pieces(start?: number, end?: number): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/** Opens a file for reading here and there. Neighbouring reads are one to the system. */
export async function openWindows(path: string): Promise<FileWindows> {
  const handle = await open(path, "r");
  const { size: sizeBytes } = await handle.stat();
  let window = Buffer.alloc(0);
  let windowStart = 0;

  const windows: FileWindows = {
    sizeBytes,
    async read(start, length) {
      const end = Math.min(start + length, sizeBytes);
      if (end <= start) return Buffer.alloc(0);
      if (start < windowStart || end > windowStart + window.length) {
        const fresh = Buffer.allocUnsafe(Math.max(end - start, WINDOW_BYTES));
        const { bytesRead } = await handle.read(fresh, 0, fresh.length, start);
        window = fresh.subarray(0, bytesRead);
        windowStart = start;
      }
      return window.subarray(start - windowStart, end - windowStart);
    },
    async *pieces(start = 0, end = sizeBytes) {
      for (let at = start; at < end; at += WINDOW_BYTES) {
        yield await windows.read(at, Math.min(WINDOW_BYTES, end - at));
      }
    },
    close: () => handle.close(),
  };
  return windows;
}

const WINDOW_BYTES = 262_144;
