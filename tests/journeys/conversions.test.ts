import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { openListener } from "@assistant/conversion/testing/listener.js";
import { officeMissing, readPdf } from "@assistant/conversion/testing/office.js";
import { officeSample } from "@assistant/conversion/testing/office-samples.js";
import { reachingFiles } from "@assistant/conversion/testing/reaching-files.js";
import { openBook, readSheets } from "@assistant/conversion/testing/sheets.js";
import { inTemporaryFile } from "@assistant/conversion/testing/temporary-file.js";
import { until } from "@assistant/kit/testing/until.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Converted, convert, convertsWith } from "../conversions.js";
import { type Platform, startPlatform } from "../platform.js";

const SAMPLES = join(import.meta.dirname, "../../services/conversion/src/testing/samples");
const OFFICE_MS = 120_000;
const missing = officeMissing();

let platform: Platform;
let token: string;

beforeAll(async () => {
  platform = await startPlatform({ words: ["--no-demo"], offices: 2 });
  token = await platform.token();
}, 90_000);
afterAll(() => platform?.stop());

const send = (target: "pdf" | "xlsx", name: string, bytes: Buffer): Promise<Converted> =>
  convert(platform, token, target, { name, bytes });

describe("with or without an office", () => {
  test("tables become workbooks: leading zeros and formulas stay text", async () => {
    const answer = await send("xlsx", "größe 漢.csv", Buffer.from("code,sum\n00123,1.5\n=1+1,2\n"));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-disposition")).toContain(encodeURIComponent("größe 漢.xlsx"));
    expect(await readSheets(answer.bytes)).toEqual([
      {
        name: expect.any(String),
        rows: [
          ["code", "sum"],
          ["00123", 1.5],
          ["=1+1", 2],
        ],
      },
    ]);
  });

  test.each([
    ["nothing", "a.csv", Buffer.alloc(0), "file_empty"],
    ["random bytes", "a.docx", Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 7_919) % 256)), undefined],
    ["text under the name of a document", "a.docx", Buffer.from("Hello"), "unsupported_media_type"],
    ["a file of no known kind", "a.exe", Buffer.from("MZ\0\0\u0001\u0002"), "unsupported_media_type"],
  ])("%s is refused with its own error", async (_what, name, bytes, problem) => {
    const answer = await send("pdf", name, bytes);
    expect([415, 422]).toContain(answer.status);
    if (problem !== undefined) expect(answer.problem).toBe(problem);
  });

  test.each(["doc", "docx", "odt", "xls", "xlsx", "pptx"])("an encrypted %s is told to be one", async (extension) => {
    const bytes = await readFile(join(SAMPLES, `hostile/encrypted.${extension}`));
    expect(await send("pdf", `secret.${extension}`, bytes)).toMatchObject({
      status: 422,
      problem: "file_password_protected",
    });
  });
});

const title = missing === undefined ? "with an office" : `with an office (skipped: ${missing})`;
(missing === undefined ? describe : describe.skip)(title, () => {
  beforeAll(() => until(() => convertsWith(platform, token, "docx", "office"), OFFICE_MS), OFFICE_MS);

  test("every sample becomes a PDF with pages, and each table a workbook with cells", async () => {
    const refused: unknown[] = [];
    for (const file of await readdir(join(SAMPLES, "formats"))) {
      const bytes = officeSample(file);
      const name = file.replace(/\.gz$/, "");
      const pdf = await send("pdf", name, bytes);
      if (pdf.status !== 200 || (await inTemporaryFile(pdf.bytes, readPdf)).pages === 0)
        refused.push([name, "pdf", pdf.status]);
      const xlsx = await send("xlsx", name, bytes);
      if (xlsx.status === 415) continue;
      const rows = xlsx.status === 200 ? (await openBook(xlsx.bytes)).worksheets.map(({ rowCount }) => rowCount) : [];
      if ((rows[0] ?? 0) === 0) refused.push([name, "xlsx", xlsx.status]);
    }
    expect(refused).toEqual([]);
  }, 180_000);

  test("what a file names elsewhere is neither fetched nor read", async () => {
    const listener = await openListener();
    const secret = join(platform.folder, "secret.txt");
    for (const { extension, target, bytes } of await reachingFiles({ url: listener.url, path: secret })) {
      const { status } = await send(target, `reaching.${extension}`, bytes);
      expect([200, 422]).toContain(status);
    }
    expect(listener.asked).toEqual([]);
    await listener.close();
  }, 120_000);

  test("no file of a job stays behind", async () => {
    const work = join(platform.folder, "conversion/work");
    await until(async () => !(await readdir(work, { recursive: true })).some((name) => name.includes("/job-")));
  });
});
