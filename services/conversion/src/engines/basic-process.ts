import { writeFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { type BasicAnswer, type BasicTask, Refused } from "./basic-task.js";

// A process for one file: it is told what to do, does it, answers and ends.
process.once("message", (message) => {
  // Only our own program is at the other end.
  const task = message as BasicTask;
  endItselfAfter(task.timeoutMs);
  perform(task).then(answer, (error: unknown) => answer(refusalOf(error)));
});
process.once("disconnect", () => process.exit(1));

/** A thread of its own, for this one may be caught in a loop that never ends. */
function endItselfAfter(timeoutMs: number): void {
  new Worker(`setTimeout(() => process.kill(process.pid, "SIGKILL"), ${timeoutMs})`, { eval: true }).unref();
}

async function perform({ extension, sourcePath, resultPath }: BasicTask): Promise<BasicAnswer> {
  const startedMs = performance.now();
  const make = await makerOf(extension, sourcePath);
  const loadedMs = performance.now();
  await writeFile(resultPath, await make(), { mode: 0o600 });
  return { kind: "done", loadMs: loadedMs - startedMs, exportMs: performance.now() - loadedMs };
}

// Libraries are loaded only where they are needed: that is most of what a small file costs.
async function makerOf(extension: string, sourcePath: string): Promise<() => Promise<Uint8Array>> {
  switch (extension) {
    case "png":
    case "jpg":
      return (await import("./picture-pdf.js")).picturePdf(sourcePath, extension);
    case "txt":
      return (await import("./text-pdf.js")).textPdf(sourcePath);
    default:
      return (await import("./workbook.js")).workbook(sourcePath, extension);
  }
}

function answer(message: BasicAnswer): void {
  process.send?.(message, () => process.exit(0));
}

function refusalOf(error: unknown): BasicAnswer {
  const detail = error instanceof Error ? error.message.slice(0, 300) : String(error);
  if (error instanceof Refused) {
    return { kind: "refused", why: error.why, detail };
  }
  const isFull = error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
  // A library that stumbles has met bytes that it did not expect.
  return { kind: "refused", why: isFull ? "full" : "corrupt", detail };
}
