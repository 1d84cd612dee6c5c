import { rename } from "node:fs/promises";
import { join } from "node:path";
import type { Call } from "@assistant/kit/wire/call.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { DownloadHead } from "@assistant/proto/assistant/common/v1/transfer.js";
import type { ConversionServiceService } from "@assistant/proto/assistant/conversion/v1/service.js";
import { asDiskFault } from "./disk-faults.js";
import type { Source, Timing } from "./engine.js";
import { empty } from "./faults.js";
import type { Seat } from "./flights.js";
import type { Target } from "./format.js";
import { resultName } from "./inspection/file-name.js";
import { formatOf } from "./inspection/formats.js";
import { inspect } from "./inspection/inspect.js";
import { hasMacros } from "./macros.js";
import type { OpenResult } from "./result-files.js";
import type { OpenedResult, Results } from "./results.js";
import { spool, type Upload, type UploadMessage } from "./spool.js";
import type { WorkFolder } from "./work-folder.js";

export interface ConversionsParts {
  readonly work: WorkFolder;
  readonly results: Results;
  readonly uploadMaxBytes: number;
}

/** The upload is taken in whole before it is looked at, since what a file is its end may say. */
export function conversions(
  parts: ConversionsParts,
): Pick<Handlers<ConversionServiceService>, "convertToPdf" | "convertToXlsx"> {
  return {
    convertToPdf: (messages, call) => convert("pdf", messages, call, parts),
    convertToXlsx: (messages, call) => convert("xlsx", messages, call, parts),
  };
}

const CHUNK_BYTES = 65_536;

const MEDIA_TYPES: Readonly<Record<Target, string>> = {
  pdf: "application/pdf",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

type DownloadMessage = { part: { $case: "head"; value: DownloadHead } | { $case: "chunk"; value: Buffer } };

async function* convert(
  target: Target,
  messages: AsyncIterable<UploadMessage>,
  call: Call,
  parts: ConversionsParts,
): AsyncGenerator<DownloadMessage, void, undefined> {
  const { head, seat } = await download(target, messages, call, parts).catch((error: unknown) => {
    throw asDiskFault(error);
  });
  try {
    yield { part: { $case: "head", value: head } };
    for await (const chunk of chunksOf(seat.made)) {
      yield { part: { $case: "chunk", value: chunk } };
    }
  } finally {
    seat.leave();
  }
}

interface Download {
  readonly head: DownloadHead;
  readonly seat: Seat<OpenedResult>;
}

/** The upload is removed before the result is read: a slow client does not hold two files. */
async function download(
  target: Target,
  messages: AsyncIterable<UploadMessage>,
  call: Call,
  { work, results, uploadMaxBytes }: ConversionsParts,
): Promise<Download> {
  const folder = await work.open();
  try {
    const upload = await spool(messages, folder.path, uploadMaxBytes);
    const { source, timing } = await inspected(upload, target, folder.path);
    const name = resultName(upload.name, target);
    const { key, seat } = await results.obtain(source, target, call);
    const timings = [timing, ...seat.made.timings];
    const head = {
      name,
      media_type: MEDIA_TYPES[target],
      etag: key,
      size_bytes: seat.made.sizeBytes,
      timings: timings.map(({ step, durationMs }) => ({ step, duration_ms: durationMs })),
    };
    return { head, seat };
  } finally {
    await folder.remove();
  }
}

async function inspected(
  { path, name, sizeBytes, sha256 }: Upload,
  target: Target,
  folder: string,
): Promise<{ source: Source; timing: Timing }> {
  if (sizeBytes === 0) throw empty();
  const startedMs = performance.now();
  const found = await inspect({ path, name, sizeBytes });
  // Handed back as it is, it would keep them; as the other kind of workbook it is written anew.
  const isActive = target === "xlsx" && found.extension === "xlsx" && (await hasMacros(path));
  const format = isActive ? (formatOf("xlsm") ?? found) : found;
  const named = join(folder, `input.${format.extension}`);
  await rename(path, named);
  const timing = { step: "inspect", durationMs: performance.now() - startedMs };
  return { source: { path: named, format, sizeBytes, sha256 }, timing };
}

async function* chunksOf({ file, sizeBytes }: OpenResult): AsyncGenerator<Buffer, void, undefined> {
  for (let position = 0; position < sizeBytes; ) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, sizeBytes - position));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) throw new Error(`the result ends at ${position} of ${sizeBytes} bytes`);
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}
