import type { IncomingMessage, ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { isContinueAwaited, tooLarge } from "./body.js";
import { FILE } from "./multipart.js";
import { requestTimedOut } from "./problem.js";
import { type Refusal, refusal } from "./refusal.js";
import { BYTES_PER_MS_MIN, FORM_BYTES_MAX, type UploadLimits } from "./upload-limits.js";

/** Where a body flows. */
export interface Sink {
  readonly parser: Writable;
  see(chunk: Buffer): void;
}

/**
 * Lets the body of a request flow into a parser, as fast as that takes it. Rejects with the parser's error, with a Refusal
 * where the body is too large or its client too slow, with another error if the client goes away.
 */
export function pour(
  request: IncomingMessage,
  response: ServerResponse,
  { parser, see }: Sink,
  { bytesMax, patienceMs }: UploadLimits,
): Promise<void> {
  const scale = createScale(bytesMax);
  return new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => {
      parser.destroy(error);
      reject(error);
      stop();
    };
    const take = (chunk: Buffer) => {
      // Whatever a parser makes of what strangers send, it must not be the end of the process.
      try {
        scale.weigh(chunk);
        see(chunk);
        if (!parser.write(chunk)) request.pause();
      } catch (error) {
        fail(error instanceof Error ? error : new Error("the parser broke", { cause: error }));
      }
    };
    const flow = () => request.resume();
    const finish = () => parser.end();
    const leave = () => fail(new Error("the client went away while it sent the body"));
    const look = () => {
      // What is not read for our sake is not the client's delay.
      if (!request.complete && !parser.writableNeedDrain) scale.wait(tickMs);
      if (scale.waitedMs() > patienceMs) fail(tooSlow());
    };
    const tickMs = Math.min(LOOK_MS, patienceMs);
    const timer = setInterval(look, tickMs).unref();
    const stop = () => {
      clearInterval(timer);
      parser.off("drain", flow);
      request.off("data", take).off("end", finish).off("close", leave);
      // The rest is let through unread, so that the client gets to see the answer.
      request.resume();
    };
    parser.on("drain", flow).on("error", fail).once("finish", stop).once("finish", resolve);
    request.once("end", () => request.off("close", leave)).once("end", finish);
    request.once("close", leave).on("data", take);
    if (isContinueAwaited(request)) response.writeContinue();
  });
}

/** Weighs what has come against how long it was waited for. */
interface Scale {
  /** Throws a Refusal once it is too much. */
  weigh(chunk: Buffer): void;
  wait(timeMs: number): void;
  /** How long it was waited, beyond what the bytes have earned. */
  waitedMs(): number;
}

function createScale(bytesMax: number): Scale {
  let size = 0;
  let waitedMs = 0;
  return {
    weigh(chunk) {
      size += chunk.length;
      if (size > bytesMax + FORM_BYTES_MAX) throw tooLarge(bytesMax, FILE);
    },
    wait: (timeMs) => {
      waitedMs += timeMs;
    },
    waitedMs: () => waitedMs - size / BYTES_PER_MS_MIN,
  };
}

const LOOK_MS = 1_000;

/** Nobody listens to the rest of what comes so slowly. */
function tooSlow(): Refusal {
  return refusal({ ...requestTimedOut(), headers: { Connection: "close" } });
}
