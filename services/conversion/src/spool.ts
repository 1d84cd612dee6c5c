import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { valueError } from "@assistant/kit/rules/violation.js";
import { invalid } from "@assistant/kit/wire/fault.js";
import type { UploadHead } from "@assistant/proto/assistant/common/v1/transfer.js";
import { tooLarge } from "./faults.js";

/** A part of an upload as it comes over the wire. */
export interface UploadMessage {
  readonly part?: { $case: "head"; value: UploadHead } | { $case: "chunk"; value: Buffer } | undefined;
}

/** A file that has come in whole. */
export interface Upload {
  /** As the client wrote it. */
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  /** In hex. */
  readonly sha256: string;
}

/**
 * Writes an upload into a folder while it comes; takes no more than one chunk into memory. Throws `large` at the first byte
 * over the limit and `invalid` where the parts are out of order; what the upload itself throws passes through.
 */
export async function spool(messages: AsyncIterable<UploadMessage>, folder: string, maxBytes: number): Promise<Upload> {
  const path = join(folder, "input");
  const file = await open(path, "w", 0o600);
  try {
    return { path, ...(await written(messages, file, maxBytes)) };
  } finally {
    await file.close();
  }
}

async function written(
  messages: AsyncIterable<UploadMessage>,
  file: FileHandle,
  maxBytes: number,
): Promise<Omit<Upload, "path">> {
  const hash = createHash("sha256");
  let name: string | undefined;
  let sizeBytes = 0;
  for await (const { part } of messages) {
    if (part?.$case === "chunk" && name !== undefined) {
      sizeBytes += part.value.length;
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
      hash.update(part.value);
      await file.writeFile(part.value);
    } else if (part?.$case === "head" && name === undefined) {
      name = part.value.name;
    } else {
      throw outOfOrder();
    }
  }
  if (name === undefined) throw outOfOrder();
  return { name, sizeBytes, sha256: hash.digest("hex") };
}

function outOfOrder() {
  return invalid(valueError([], "One head comes first, and after it nothing but chunks"));
}
