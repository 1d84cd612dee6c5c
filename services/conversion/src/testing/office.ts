import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createLog } from "@assistant/kit/process/log.js";
import { until } from "@assistant/kit/testing/until.js";
import { findOffice } from "../office/find-office.js";
import { type OfficeEngine, type OfficeEngineOptions, openOfficeEngine } from "../office/office-engine.js";

/** Starting takes a second on an idle machine, and much more on a busy one. */
export const OFFICE_START_MS = 120_000;

export interface TestOffice extends OfficeEngine {
  /** Where the offices live, one folder each. */
  readonly folder: string;
  /** What it leaves in its folder. */
  end(): Promise<string[]>;
}

/** A real office of a test's own, with all its slots warm. */
export async function openTestOffice(options: Partial<OfficeEngineOptions> = {}): Promise<TestOffice> {
  const officePath = await findOffice();
  if (officePath === undefined) throw new Error("there is no office to test with");
  const folder = await mkdtemp(join(tmpdir(), "assistant-office-"));
  const log = createLog("conversion", "test", "silent");
  const slots = options.slots ?? 1;
  const engine = await openOfficeEngine({ officePath, folder, log, ...options, slots });
  await until(() => engine.warmSlots === slots, OFFICE_START_MS);
  return Object.defineProperties(engine, {
    folder: { value: folder },
    end: {
      async value() {
        await engine.close();
        const left = await readdir(folder);
        await rm(folder, { recursive: true });
        return left;
      },
    },
  }) as TestOffice;
}

/** Undefined if there is an office to test with, and what reads its results, else what is absent. */
export function officeMissing(): string | undefined {
  for (const [program, word] of NEEDED) {
    try {
      execFileSync(program, [word], { stdio: "ignore" });
    } catch {
      // Whatever the reason, it cannot be used.
      return `${program} is not installed`;
    }
  }
  return undefined;
}

/** The text of a PDF as another program reads it, and how many pages there are. */
export async function readPdf(path: string): Promise<{ text: string; pages: number }> {
  const { stdout } = await run("pdftotext", ["-layout", path, "-"], { maxBuffer: 64 * 1024 * 1024 });
  return { text: stdout, pages: stdout.split("\f").length - 1 };
}

const run = promisify(execFile);

const NEEDED = [
  ["soffice", "--help"],
  ["pdftotext", "-v"],
] as const;
