import { createHash } from "node:crypto";
import { readdir, readFile, readlink } from "node:fs/promises";
import { inflateRawSync } from "node:zlib";
import { until } from "@assistant/kit/testing/until.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import { describe, expect, test } from "@jest/globals";
import { sheetLimitExceeded, tooComplex } from "../faults.js";
import { faultOf, testEngine } from "../testing/engine-suite.js";
import { type JobOrder, openJob } from "../testing/jobs.js";
import { readSheets } from "../testing/sheets.js";
import { converted, convertedText } from "../testing/tables.js";
import { tablesEngine } from "./tables-engine.js";
import { runOnThread } from "./thread-run.js";

function order(text: string, extension = "csv"): JobOrder {
  return { extension, target: "xlsx", bytes: Buffer.from(text) };
}

/** A csv beyond what is converted without a thread of its own. */
function largeText(rows: number): string {
  return Array.from({ length: rows }, (_, at) => `${at},2026-02-28,some words of row ${at}\n`).join("");
}

function sampleOf(text: string, extension = "csv") {
  return {
    ...order(text, extension),
    name: `a ${extension} of ${text.length} characters`,
    async check(result: Buffer) {
      const [sheet] = await readSheets(result);
      expect(sheet?.rows[0]?.[0]).toBe("id");
      expect(sheet?.rows.at(-1)?.[0]).toBe("end");
    },
  };
}

testEngine({
  title: "the tables engine",
  open: async () => tablesEngine(),
  samples: [
    sampleOf(`id,a\n${largeText(7500)}end,b\n`),
    sampleOf("id,a\nend,b\n"),
    sampleOf("id\ta\nend\tb\n", "tsv"),
    sampleOf("id\nend\n", "txt"),
    sampleOf("<table><tr><td>id<tr><td>end</table>", "html"),
  ],
  broken: [order(",".repeat(16_384)), order("<td>".repeat(16_385).replace("<td>", "<table><td>"), "html")],
});

describe("what a sheet can hold", () => {
  test("1,048,576 rows and one more, at a hundredth of that: they go on in a further sheet", async () => {
    const rowsMax = 10_485;
    const text = (rows: number) => Array.from({ length: rows }, (_, at) => `${at + 1}\n`).join("");
    const full = await readSheets(await convertedText(text(rowsMax), "csv", rowsMax));
    expect(full.map(({ name, rows }) => [name, rows.length])).toEqual([["Sheet1", rowsMax]]);
    const over = await readSheets(await convertedText(text(2 * rowsMax + 1), "csv", rowsMax));
    expect(over.map(({ name, rows }) => [name, rows.length, rows[0]?.[0], rows.at(-1)?.[0]])).toEqual([
      ["Sheet1", rowsMax, 1, rowsMax],
      ["Sheet1 (2)", rowsMax, rowsMax + 1, 2 * rowsMax],
      ["Sheet1 (3)", 1, 2 * rowsMax + 1, 2 * rowsMax + 1],
    ]);
  });

  test("merged cells stay where they are in the sheet that has them", async () => {
    const page = "<table><tr><td>1<tr><td>2<tr><td rowspan=2>3<td>x<tr><td>4<tr><td rowspan=2>5<td>y<tr><td>6</table>";
    const sheets = await readSheets(await convertedText(page, "html", 3));
    expect(sheets.map(({ rows }) => rows.map(([first]) => first))).toEqual([
      [1, 2, 3],
      [null, 5, null],
    ]);
  });

  test("16,384 columns, and not one more", async () => {
    const [sheet] = await readSheets(await convertedText(`${"x,".repeat(16_383)}end`));
    expect(sheet?.rows[0]).toHaveLength(16_384);
    expect(sheet?.rows[0]?.at(-1)).toBe("end");
    await expect(convertedText(`${"x,".repeat(16_384)}end`)).rejects.toEqual(sheetLimitExceeded());
  });

  test.each([
    ["bare", (text: string) => text],
    ["in quotes", (text: string) => `"${text}"`],
  ])("32,767 characters in a cell, and not one more, %s", async (_, write) => {
    const longest = "ü".repeat(32_767);
    const [sheet] = await readSheets(await convertedText(`a,${write(longest)}\n`));
    expect(sheet?.rows[0]).toEqual(["a", longest]);
    await expect(convertedText(`a,${write(`${longest}x`)}\n`)).rejects.toEqual(sheetLimitExceeded());
  });

  test("line ends and control characters that go do not count", async () => {
    const [sheet] = await readSheets(await convertedText(`a,"${"\u0001x\r\n".repeat(16_383)}x"\n`));
    expect(sheet?.rows[0]?.[1]).toBe(`${"x\n".repeat(16_383)}x`);
  });

  test("a quote that nothing closes does not make one long cell of the rest", async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => `${at},word\n`).join("");
    const [sheet] = await readSheets(await convertedText(`a,b\n"5 inch,x\n${rows}`));
    expect(sheet?.rows).toHaveLength(20_002);
    expect(sheet?.rows[1]).toEqual(['"5 inch', "x"]);
  });
});

test("halves of a pair of surrogates, and characters that XML forbids, spoil nothing", async () => {
  const text = "a\ud800b,\udc00,c\u0000\u000b\u001f\ufffed,\ud83d\ude00";
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
  const [sheet] = await readSheets(await converted({ extension: "csv", bytes }));
  expect(sheet?.rows).toEqual([["a\ufffdb", "\ufffd", "cd", "\u{1f600}"]]);
});

test("a row of headings is one, blank lines before it or not", async () => {
  const [sheet] = await readSheets(await convertedText("\n\nday,share\n2026-02-28,5%\n"));
  expect(sheet?.rows).toEqual([[], [], ["day", "share"], [new Date("2026-02-28"), 0.05]]);
});

test("a file of nothing but line ends is an empty sheet", async () => {
  for (const [text, extension] of [
    ["\n\r\n", "csv"],
    [" ", "html"],
    ["\ufeff", "txt"],
  ] as const) {
    const sheets = await readSheets(await convertedText(text, extension));
    expect(sheets.map(({ name }) => name)).toEqual(["Sheet1"]);
  }
});

test("the same file gives the same bytes, in a thread of its own or not", async () => {
  const text = `id,a\n${largeText(7500)}`;
  const engine = tablesEngine();
  const job = await openJob(order(text));
  const inThread = await readFile((await engine.convert(job)).path);
  expect(inThread.equals(await convertedText(text))).toBe(true);
  await job.end();
  await engine.close();
});

test("what is written changes only together with the version of the engine", async () => {
  const text = 'id;day;share;"a ""b"""\n1;28.02.2026;7,5%;=x\n2;01.03.2026;8%;<&>_x0041_\n';
  const page = "<table><caption>T</caption><tr><th colspan=2>a<td rowspan=2>b<br>c<tr><td>1.5<td>2</table>";
  const written = [await convertedText(text), await convertedText(page, "html")];
  const sums = written.map((bytes) => createHash("sha256").update(unpacked(bytes)).digest("hex").slice(0, 16));
  const engine = tablesEngine();
  expect({ version: engine.version, sums }).toMatchInlineSnapshot(`
{
  "sums": [
    "242f21a190327a02",
    "e5b10816eecddcb9",
  ],
  "version": "1",
}
`);
  await engine.close();
});

describe("nobody waits any more", () => {
  test.each(["csv", "html"])("a large %s is given up under way, and leaves nothing open", async (extension) => {
    const rows = extension === "csv" ? largeText(400_000) : `<table>${"<tr><td>some words<td>1".repeat(400_000)}`;
    const engine = tablesEngine();
    const gone = new AbortController();
    const job = await openJob(order(rows, extension), { signal: gone.signal });
    const outcome = faultOf(engine.convert(job));
    await until(async () => (await readdir(job.folder)).length > 1);
    gone.abort(new Fault("late", "the client went away"));
    expect((await outcome).kind).toBe("late");
    await job.end();
    // The thread is ended a moment later.
    await until(async () => (await openFilesUnder(job.folder)).length === 0);
    await engine.close();
  });

  test("the end of the engine ends what is under way", async () => {
    const engine = tablesEngine();
    const job = await openJob(order(largeText(400_000)));
    const outcome = faultOf(engine.convert(job));
    await until(async () => (await readdir(job.folder)).length > 1);
    await engine.close();
    expect((await outcome).kind).toBe("late");
    await job.end();
  });
});

test("what takes more memory than its thread may have is refused, and takes nothing else with it", async () => {
  const page = `<table><td>${`<table><tr>${"<td>x".repeat(1000)}`.repeat(200)}`;
  const job = await openJob(order(page, "html"));
  const task = { inputPath: job.source.path, outputPath: `${job.folder}/result.xlsx`, extension: "html" };
  const fault = await faultOf(runOnThread(task, job.signal, 16));
  expect(fault.violations).toEqual(tooComplex().violations);
  await job.end();
});

/** The parts of a workbook, one after the other: packed, they are different with each release of zlib. */
function unpacked(workbook: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; workbook.readUInt32LE(at) === LOCAL_HEADER; ) {
    const start = at + 30 + workbook.readUInt16LE(at + 26);
    const end = start + workbook.readUInt32LE(at + 18);
    parts.push(workbook.subarray(at + 30, start), inflateRawSync(workbook.subarray(start, end)));
    at = end;
  }
  return Buffer.concat(parts);
}

const LOCAL_HEADER = 0x04034b50;

/** The files below a folder that this process has open, deleted ones too, where the system tells. */
async function openFilesUnder(folder: string): Promise<string[]> {
  const descriptors = await readdir("/proc/self/fd").catch(() => []);
  const targets = await Promise.all(descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")));
  return targets.filter((target) => target.startsWith(folder));
}
