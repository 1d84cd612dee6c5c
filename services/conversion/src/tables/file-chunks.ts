import { open } from "node:fs/promises";

/** The bytes of a file from an offset on, in chunks that are good until the next one is asked for. */
export async function* fileChunks(path: string, offsetBytes = 0): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    let position = offsetBytes;
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** What is worked on in one go: a few milliseconds, so that others have their turn. */
const CHUNK_BYTES = 64 * 1024;
