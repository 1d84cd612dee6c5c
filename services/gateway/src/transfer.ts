import type { Readable } from "node:stream";
import type { Call } from "@assistant/kit/wire/call.js";
import type { Peer } from "@assistant/kit/wire/dial.js";
import { type Fault, internal } from "@assistant/kit/wire/fault.js";
import type { DownloadHead } from "@assistant/proto/assistant/common/v1/transfer.js";
import type { DownloadMessage, UploadMessage, UploadRpc } from "./upload-route.js";

/** A file on its way to a service, and the file that comes back. */
export interface Transfer {
  /** Rejects with a Fault, or with what is wrong with the body. */
  readonly download: Promise<Download>;
  cancel(reason?: Fault): void;
}

export interface Download {
  readonly head: DownloadHead;
  /** Has to be read, or left early: until then the call goes on. */
  readonly chunks: AsyncIterable<Buffer>;
}

export interface TransferOptions {
  readonly peer: Peer;
  readonly rpc: UploadRpc;
  readonly call: Call;
  /** The file's name as the client wrote it. */
  readonly name: string;
  readonly bytes: Readable;
  /** Resolves once the body around the file is known to be as it should; what it rejects with ends the call. */
  whole(): Promise<unknown>;
}

/** Sends a file as it arrives. The service learns that it is at its end only once the whole body is good. */
export function startTransfer({ peer, rpc, call, name, bytes, whole }: TransferOptions): Transfer {
  const cancelled = new AbortController();
  const signal = AbortSignal.any([call.signal, cancelled.signal]);
  const download = open(peer.stream(rpc, messages(name, bytes, whole), { ...call, signal }));
  // What nobody sends any more has to flow on, or the body around it never comes to its end.
  download.catch(() => bytes.resume());
  return { download, cancel: (reason) => cancelled.abort(reason) };
}

async function* messages(name: string, bytes: Readable, whole: () => Promise<unknown>): AsyncGenerator<UploadMessage> {
  yield { part: { $case: "head", value: { name } } };
  try {
    // Left early, the file is not destroyed: its parser would wait for it for ever.
    for await (const read of bytes.iterator({ destroyOnReturn: false })) {
      for (const value of pieces(read)) yield { part: { $case: "chunk", value } };
    }
  } finally {
    bytes.resume();
  }
  await whole();
}

const CHUNK_BYTES_MAX = 65_536;

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES_MAX) yield bytes.subarray(at, at + CHUNK_BYTES_MAX);
}

async function open(messages: AsyncIterable<DownloadMessage>): Promise<Download> {
  const parts = messages[Symbol.asyncIterator]();
  const first = await parts.next();
  const part = first.done ? undefined : first.value.part;
  if (part?.$case === "head") return { head: part.value, chunks: chunksOf(parts) };
  await parts.return?.();
  throw internal(new Error(`a file was answered that begins with ${part?.$case ?? "nothing"}`));
}

async function* chunksOf(parts: AsyncIterator<DownloadMessage>): AsyncGenerator<Buffer> {
  for await (const { part } of { [Symbol.asyncIterator]: () => parts }) {
    if (part?.$case !== "chunk")
      throw internal(new Error(`a file was answered that goes on with ${part?.$case ?? "nothing"}`));
    yield part.value;
  }
}
