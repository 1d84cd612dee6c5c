import { once } from "node:events";
import { Fault } from "@assistant/kit/wire/fault.js";
import type { DownloadHead } from "@assistant/proto/assistant/common/v1/transfer.js";
import { attachment } from "./content-disposition.js";
import type { Exchange } from "./exchange.js";
import { POLICY } from "./file-answer.js";
import type { Download } from "./transfer.js";

/**
 * Answers a file as it comes, as fast as the client takes it. Throws where it does not come whole; the connection is then
 * to be broken off, so that the client does not take a part for all of it.
 */
export async function answerDownload({ response, signal }: Exchange, { head, chunks }: Download): Promise<void> {
  let left = head.size_bytes;
  try {
    announce(response, head);
    for await (const chunk of chunks) {
      left -= chunk.length;
      if (left < 0) throw new Error("more bytes came than were announced");
      if (!response.write(chunk)) await once(response, "drain", { signal });
    }
    if (left > 0) throw new Error(`${left} bytes of those announced did not come`);
  } catch (cause) {
    throw response.headersSent ? new Fault("internal", "the service broke off its answer", { cause }) : cause;
  }
  response.end();
}

function announce(response: Exchange["response"], { name, media_type, etag, size_bytes, timings }: DownloadHead): void {
  response.setHeader("Content-Type", media_type);
  response.setHeader("Content-Length", size_bytes);
  response.setHeader("Content-Disposition", attachment(name));
  response.setHeader("Content-Security-Policy", POLICY);
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("ETag", `"${etag}"`);
  if (timings.length > 0) response.setHeader("Server-Timing", timings.map(timingOf).join(", "));
  response.writeHead(200);
}

function timingOf({ step, duration_ms }: DownloadHead["timings"][number]): string {
  return `${step};dur=${Math.round(duration_ms * 100) / 100}`;
}
