import type { StreamRpc } from "@assistant/kit/wire/rpc.js";
import type { DownloadHead, UploadHead } from "@assistant/proto/assistant/common/v1/transfer.js";
import type { Named, RateClass, Route } from "./route.js";

/** A row of the table, of whatever kind. */
export type AnyRoute = Route | UploadRoute;

/** One public operation that takes the part `file` of a form and answers with a file. */
export interface UploadRoute {
  readonly method: "post";
  readonly path: string;
  readonly rpc: UploadRpc;
  readonly status: 200;
  readonly open: false;
  readonly alias?: undefined;
  readonly rate: RateClass;
  /** What the bytes of an answer may be. */
  readonly media: readonly [string, ...string[]];
  readonly isUpload: true;
}

/** Takes a file and answers one: each first its head, then its bytes in order. */
export type UploadRpc = StreamRpc<UploadMessage, DownloadMessage>;

export interface UploadMessage {
  part?: { $case: "head"; value: UploadHead } | Chunk | undefined;
}

export interface DownloadMessage {
  part?: { $case: "head"; value: DownloadHead } | Chunk | undefined;
}

interface Chunk {
  $case: "chunk";
  value: Buffer;
}

/**
 * A row that sends a file to an rpc and answers the file that comes back. What is no such rpc does not compile: one that
 * does not stream both ways, or has other messages. The request has no fields, so the path has no parameters.
 */
export function upload<Request extends UploadMessage, Response extends DownloadMessage, const Path extends string>(
  path: Path & Named<Path, never>,
  rpc: StreamRpc<Request, Response>,
  { media }: { media: readonly [string, ...string[]] },
): UploadRoute {
  return { method: "post", path, rpc, status: 200, open: false, rate: "convert", media, isUpload: true };
}

export function isUploadRoute(row: AnyRoute): row is UploadRoute {
  return "isUpload" in row;
}
