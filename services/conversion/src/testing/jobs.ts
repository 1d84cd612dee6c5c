import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Job } from "../engine.js";
import type { Target } from "../format.js";
import { formatOf } from "../inspection/formats.js";

export interface JobOrder {
  readonly extension: string;
  readonly target: Target;
  readonly bytes: Buffer;
}

/** A job in a folder of its own, as an engine gets it; `end` removes the folder. */
export async function openJob(
  { extension, target, bytes }: JobOrder,
  about: Partial<Pick<Job, "signal" | "deadlineMs" | "callerId">> = {},
): Promise<Job & { end(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "assistant-job-"));
  const format = formatOf(extension);
  if (format === undefined) throw new Error(`no format has the extension ${extension}`);
  const path = join(folder, `input.${extension}`);
  await writeFile(path, bytes, { mode: 0o600 });
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return {
    source: { path, format, sizeBytes: bytes.length, sha256 },
    target,
    folder,
    callerId: "usr_test",
    signal: new AbortController().signal,
    deadlineMs: Date.now() + JOB_MS,
    ...about,
    end: () => rm(folder, { recursive: true }),
  };
}

// Longer than any test waits: on a busy machine work takes as long as it takes.
const JOB_MS = 600_000;
