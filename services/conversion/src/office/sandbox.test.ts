import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Target } from "../format.js";
import { openJob } from "../testing/jobs.js";
import { type Listener, openListener } from "../testing/listener.js";
import { macroFiles } from "../testing/macro-files.js";
import { OFFICE_START_MS, officeMissing, openTestOffice, readPdf, type TestOffice } from "../testing/office.js";
import { officeSample, workbookOf } from "../testing/office-samples.js";
import { reachingFiles } from "../testing/reaching-files.js";
import type { Isolation } from "./sandbox.js";

const missing = officeMissing();
const levels: readonly Isolation[] = ["full", "network", "none"];

describe.each(levels)("the office with isolation %s", (isolation) => {
  const guarantee = missing === undefined ? test : test.skip;
  const reason = missing === undefined ? "" : ` (skipped: ${missing})`;
  let office: TestOffice;
  let listener: Listener;
  let outside: string;
  let leftBefore: string[];
  beforeAll(async () => {
    if (missing !== undefined) return;
    leftBefore = await leftovers();
    // Everybody may read and write there: file modes are not what keeps the office from it.
    outside = await mkdtemp(join(tmpdir(), "assistant-outside-"));
    await chmod(outside, 0o777);
    listener = await openListener();
    office = await openTestOffice({ isolations: [isolation] });
  }, OFFICE_START_MS);
  afterAll(async () => {
    if (missing !== undefined) return;
    await listener.close();
    await rm(outside, { recursive: true });
  });

  guarantee(`says that it is isolated so${reason}`, () => {
    expect(office.isolation).toBe(isolation);
  });

  guarantee(`fetches nothing, and takes up no file of the machine${reason}`, async () => {
    const path = join(outside, "secret.txt");
    await writeFile(path, "SECRET", { mode: 0o644 });
    for (const order of await reachingFiles({ url: listener.url, path })) {
      const job = await openJob(order);
      const result = await office.convert(job);
      const text = await textOf(order.target, result.path);
      expect(text).toContain("visible");
      expect(text).not.toContain("SECRET");
      await job.end();
    }
    expect(listener.asked).toEqual([]);
    await (await fetch(`${listener.url}/control`)).text();
    expect(listener.asked).toEqual(["GET /control"]);
  });

  guarantee(`runs no macro, and hands none on${reason}`, async () => {
    const path = join(outside, "written-by-macro");
    for (const order of macroFiles(path)) {
      const job = await openJob(order);
      const result = await office.convert(job);
      const text = await textOf(order.target, result.path);
      expect(text).toContain("visible");
      expect(text).not.toContain("ran");
      expect((await readFile(result.path)).includes("vbaProject")).toBe(false);
      await job.end();
    }
    expect(await readdir(outside)).not.toContain("written-by-macro");
  });

  guarantee(`leaves the source and its folder as they are, and readable for nobody else${reason}`, async () => {
    const bytes = officeSample("one-page.docx");
    const job = await openJob({ extension: "docx", target: "pdf", bytes });
    const result = await office.convert(job);
    expect((await readdir(job.folder)).sort()).toEqual(["input.docx", "output.pdf"]);
    const made = await stat(result.path);
    expect([made.mode & 0o777, made.uid]).toEqual([0o600, process.getuid?.()]);
    await job.end();
  });

  guarantee(`leaves nothing behind when it is closed${reason}`, async () => {
    expect(await office.end()).toEqual([]);
    const after = await leftovers();
    expect(after.filter((name) => !leftBefore.includes(name))).toEqual([]);
  });
});

async function textOf(target: Target, path: string): Promise<string> {
  if (target === "pdf") return (await readPdf(path)).text;
  const { worksheets } = await workbookOf(await readFile(path));
  return JSON.stringify(worksheets.map((sheet) => sheet.getSheetValues()));
}

/** What offices leave in the machine's own folder, of this test or another. */
async function leftovers(): Promise<string[]> {
  const names = await Promise.all(["/tmp", "/var/tmp"].map((folder) => readdir(folder)));
  return names.flat().filter((name) => /^OSL_PIPE_|^lu.*\.tmp$|^\.~lock\./.test(name));
}
