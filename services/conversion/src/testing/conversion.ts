import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Caller } from "@assistant/kit/caller/caller.js";
import { callAs, callerOf, createTestIdentity, quiet } from "@assistant/kit/testing.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { dial, type Peer } from "@assistant/kit/wire/dial.js";
import { serve, served } from "@assistant/kit/wire/serve.js";
import type { DownloadHead } from "@assistant/proto/assistant/common/v1/transfer.js";
import { ConversionServiceService as rpcs } from "@assistant/proto/assistant/conversion/v1/service.js";
import type { Engine } from "../engine.js";
import type { Target } from "../format.js";
import { openResultCache } from "../result-cache.js";
import { createResults } from "../results.js";
import { conversionService } from "../service.js";
import type { UploadMessage } from "../spool.js";
import { openWorkFolder } from "../work-folder.js";

/** The conversion service as others meet it: over gRPC. */
export interface Conversion {
  readonly peer: Peer;
  /** What is on disk of jobs, under way or left behind: folders and files. */
  jobs(): Promise<string[]>;
  /** Somebody with a token; by default a member of a new org. */
  person(about?: Partial<Caller>): Person;
  close(): Promise<void>;
}

export interface Person {
  readonly caller: Caller;
  call(given?: Partial<Call>): Promise<Call>;
  convert(upload: Upload, given?: Partial<Call>): Promise<Converted>;
}

export interface Upload {
  readonly name: string;
  readonly target: Target;
  readonly bytes: Buffer;
}

export interface Converted {
  readonly head: DownloadHead;
  readonly bytes: Buffer;
}

export interface ConversionOptions {
  /** What is open at the moment. */
  engines(): readonly Engine[];
  readonly uploadMaxBytes?: number;
  readonly cacheMaxBytes?: number;
}

export async function openConversion(options: ConversionOptions): Promise<Conversion> {
  const parent = await mkdtemp(join(tmpdir(), "assistant-conversion-test-"));
  const identity = await createTestIdentity();
  const work = await openWorkFolder(parent, quiet);
  const { cacheMaxBytes: maxBytes = 2 ** 24, uploadMaxBytes = 2 ** 20 } = options;
  const cache = await openResultCache({ folder: join(parent, "cache"), maxBytes, maxAgeMs: 60_000, log: quiet });
  const engines = () => options.engines();
  const results = createResults({ engines, cache, work, log: quiet });
  const server = await serve({
    name: "conversion",
    listen: "127.0.0.1:0",
    services: [served(rpcs, conversionService({ work, results, engines, uploadMaxBytes }))],
    verifier: identity.verifier,
    allowedCallers: ["gateway"],
    log: quiet,
  });
  const peer = dial({ from: "gateway", to: "conversion", address: `127.0.0.1:${server.port}`, log: quiet });
  return {
    peer,
    jobs: () => readdir(work.path, { recursive: true }),
    person(about = {}) {
      const caller = callerOf(about);
      const token = identity.token(caller);
      const call = async (given: Partial<Call> = {}) => callAs({ ...caller, token: await token }, given);
      const convert = async (upload: Upload, given?: Partial<Call>) => converted(peer, upload, await call(given));
      return { caller, call, convert };
    },
    async close() {
      peer.close();
      await server.stop(1_000);
      await identity.close();
      cache.close();
      await rm(parent, { recursive: true });
    },
  };
}

export const rpcOf = { pdf: rpcs.convertToPdf, xlsx: rpcs.convertToXlsx } as const;

/** An upload as the gateway sends it. */
export async function* messagesOf({ name, bytes }: Pick<Upload, "name" | "bytes">): AsyncGenerator<UploadMessage> {
  yield { part: { $case: "head", value: { name } } };
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    yield { part: { $case: "chunk", value: bytes.subarray(at, at + CHUNK_BYTES) } };
  }
}

const CHUNK_BYTES = 65_536;

async function converted(peer: Peer, upload: Upload, call: Call): Promise<Converted> {
  let head: DownloadHead | undefined;
  const chunks: Buffer[] = [];
  for await (const { part } of peer.stream(rpcOf[upload.target], messagesOf(upload), call)) {
    if (part?.$case === "head") head = part.value;
    if (part?.$case === "chunk") chunks.push(part.value);
  }
  if (head === undefined) throw new Error("a result has a head");
  return { head, bytes: Buffer.concat(chunks) };
}
