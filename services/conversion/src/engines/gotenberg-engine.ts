import { createWriteStream, openAsBlob } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Log } from "@assistant/kit/process/log.js";
import type { Engine, Job, Result } from "../engine.js";
import { openPatience } from "../patience.js";
import { faultOfAnswer, refuseUnlessPdf, unreachable } from "./gotenberg-faults.js";
import { watchGotenberg } from "./gotenberg-watch.js";

export interface GotenbergEngineOptions {
  /** Where a Gotenberg of at least 8.36 listens. */
  readonly url: string;
  readonly log: Log;
  /** How often it is asked whether it works. */
  readonly everyMs?: number;
}

/** Converts to PDF by a Gotenberg elsewhere; takes nothing while that is down, unhealthy or too old. */
export function openGotenbergEngine({ url, log, everyMs = EVERY_MS }: GotenbergEngineOptions): Engine {
  const watch = watchGotenberg({ url, log, everyMs });
  return {
    name: "gotenberg",
    get version() {
      return watch.version() ?? "none";
    },
    takes: (target) => (target === "pdf" && watch.version() !== undefined ? FORMATS : NONE),
    convert: (job) => convert(url, job),
    close: () => watch.stop(),
  };
}

const EVERY_MS = 5_000;
const NONE: ReadonlySet<string> = new Set();

/** What both we and its office know. A PDF is handed back by others, without a journey. */
const FORMATS: ReadonlySet<string> = new Set(
  (
    "docx docm dotx dotm doc odt ott fodt rtf txt html xlsx xlsm xlsb xltx xltm xls xml ods ots fods csv slk dbf " +
    "pptx pptm potx potm ppt odp otp fodp odg fodg png jpg gif bmp svg"
  ).split(" "),
);

async function convert(url: string, { source, folder, signal, deadlineMs }: Job): Promise<Result> {
  const startedMs = performance.now();
  const patience = openPatience(signal, deadlineMs);
  const path = join(folder, "result.pdf");
  try {
    const form = new FormData();
    // The client's own name of the file stays here.
    form.append("files", await openAsBlob(source.path), `input.${source.format.extension}`);
    // Scaling pictures down takes longer than writing them, and makes files larger.
    form.append("reduceImageResolution", "false");
    const answer = await post(`${url}/forms/libreoffice/convert`, form, patience.signal);
    if (!answer.ok || answer.body === null) throw await faultOfAnswer(answer, source.sizeBytes);
    await pipeline(piecesOf(answer.body), createWriteStream(path, { mode: 0o600 }), { signal: patience.signal });
  } catch (error) {
    patience.signal.throwIfAborted();
    throw error;
  } finally {
    patience.close();
  }
  await refuseUnlessPdf(path);
  return { path, timings: [{ step: "export", durationMs: performance.now() - startedMs }] };
}

async function post(url: string, body: FormData, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { method: "POST", body, signal, redirect: "error" });
  } catch (error) {
    throw unreachable(error);
  }
}

async function* piecesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    throw unreachable(error);
  }
}
