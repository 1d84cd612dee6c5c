import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { until } from "@assistant/kit/testing/until.js";
import { quiet } from "@assistant/kit/testing.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import ExcelJS from "exceljs";
import { PDFDocument } from "pdf-lib";
import type { Engine } from "../engine.js";
import { type EngineSample, faultOf, testEngine } from "../testing/engine-suite.js";
import { openJob } from "../testing/jobs.js";
import { jpg, png } from "../testing/pictures.js";
import { basicEngine } from "./basic-engine.js";

const SAMPLES = fileURLToPath(new URL("../testing/samples/", import.meta.url));
const open = (about: { slots?: number; jobTimeoutMs?: number } = {}) =>
  basicEngine({ log: quiet, slots: 2, jobTimeoutMs: 120_000, ...about });

testEngine({
  title: "the basic engine",
  open: async () => open(),
  samples: [
    picture("png", png(300, 200)),
    picture("jpg", jpg()),
    text("a text", "Größe: 5 €\n", 1),
    text("a long text", "one line\n".repeat(61), 2),
    text("no more than a word", "x", 1),
    book("xls"),
    book("xlsb"),
    book("xml"),
    {
      name: "ods",
      extension: "ods",
      target: "xlsx",
      bytes: readFileSync(`${SAMPLES}formats/small.ods`),
      check: ordersHold,
    },
    same("pdf", Buffer.from("%PDF-1.7 whatever")),
    same("xlsx", readFileSync(`${SAMPLES}formats/book.xlsx`)),
  ],
  broken: [
    { extension: "png", target: "pdf", bytes: png(300, 200).subarray(0, 60) },
    { extension: "jpg", target: "pdf", bytes: Buffer.from("ffd8ffe0", "hex") },
    { extension: "xls", target: "xlsx", bytes: readFileSync(`${SAMPLES}formats/book.xls`).subarray(0, 600) },
    { extension: "ods", target: "xlsx", bytes: readFileSync(`${SAMPLES}formats/small.ods`).subarray(0, 9_000) },
  ],
});

describe("the basic engine, of its own", () => {
  let engine: Engine;
  beforeAll(() => {
    engine = open();
  });
  afterAll(() => engine.close());

  const made = async (order: Parameters<typeof openJob>[0]) => {
    const job = await openJob(order);
    const result = await engine.convert(job);
    const bytes = await readFile(result.path);
    await job.end();
    return { bytes, result };
  };

  test("says where the time went", async () => {
    const { result } = await made({ extension: "txt", target: "pdf", bytes: Buffer.from("Hi") });
    expect(result.timings.map(({ step }) => step)).toEqual(["queue", "load", "export"]);
  });

  test("says of text that it has no letters for that no engine is at work", async () => {
    const job = await openJob({ extension: "txt", target: "pdf", bytes: Buffer.from("Hello Привет") });
    const fault = await faultOf(engine.convert(job));
    expect([fault.kind, fault.retryAfterS]).toEqual(["unavailable", 60]);
    await job.end();
  });

  test("gives up a file that takes too long", async () => {
    const hasty = open({ jobTimeoutMs: 1 });
    const job = await openJob({ extension: "txt", target: "pdf", bytes: Buffer.from("Hi") });
    expect((await faultOf(hasty.convert(job))).violations[0]?.type).toBe("file_too_complex");
    await job.end();
    await hasty.close();
  });

  test("ends the process of what is given up, lets one wait for another, and refuses more than 32 who wait", async () => {
    const narrow = open({ slots: 1 });
    const controllers = Array.from({ length: 33 }, () => new AbortController());
    const order = { extension: "txt", target: "pdf", bytes: Buffer.from("a b ".repeat(2_000_000)) } as const;
    const jobs = await Promise.all(controllers.map(({ signal }) => openJob(order, { signal })));
    const outcomes = jobs.map((job) => faultOf(narrow.convert(job)));
    await until(() => children().length === 1);
    const late = await openJob(order);
    expect((await faultOf(narrow.convert(late))).kind).toBe("unavailable");
    for (const gone of controllers) gone.abort(new Fault("late", "the client went away"));
    expect(new Set((await Promise.all(outcomes)).map(({ kind }) => kind))).toEqual(new Set(["late"]));
    expect(children()).toEqual([]);
    for (const job of [...jobs, late]) await job.end();
    await narrow.close();
  });
});

function picture(extension: "png" | "jpg", bytes: Buffer): EngineSample {
  const check = async (result: Buffer) => {
    const [page, ...others] = (await PDFDocument.load(result)).getPages();
    expect(others).toEqual([]);
    expect(page?.node.Resources()?.toString()).toContain("/XObject");
  };
  return { name: extension, extension, target: "pdf", bytes, check };
}

function text(name: string, content: string, pages: number): EngineSample {
  const check = async (result: Buffer) => expect((await PDFDocument.load(result)).getPageCount()).toBe(pages);
  return { name, extension: "txt", target: "pdf", bytes: Buffer.from(content), check };
}

function same(extension: "pdf" | "xlsx", bytes: Buffer): EngineSample {
  const check = (result: Buffer) => expect(result.equals(bytes)).toBe(true);
  return { name: `${extension} as it is`, extension, target: extension, bytes, check };
}

/** The same cells in every format. The oldest knows no Unicode. */
function book(extension: "xls" | "xlsb" | "xml"): EngineSample {
  const check = async (result: Buffer) => {
    const workbook = await readWorkbook(result);
    expect(workbook.worksheets.map(({ name, state }) => [name, state])).toEqual([
      ["Data", "visible"],
      ["Zweites Blatt", "visible"],
      ["Hidden", "hidden"],
    ]);
    const row = workbook.getWorksheet("Data")?.getRow(2);
    expect(row?.getCell(1).value).toBe("00123");
    expect(row?.getCell(2).value).toEqual(new Date("2026-02-28T00:00:00Z"));
    expect(row?.getCell(5).value).toBe("12345678901234567890");
    expect(row?.getCell(6).value).toBe(1234.56);
    expect(row?.getCell(8).value).toBe(true);
    expect(row?.getCell(9).result ?? row?.getCell(9).value).toBe(2469.12);
    if (extension !== "xls") expect(row?.getCell(10).value).toBe("Größe żółć 日本 😀");
  };
  return {
    name: extension,
    extension,
    target: "xlsx",
    bytes: readFileSync(`${SAMPLES}formats/book.${extension}`),
    check,
  };
}

async function ordersHold(result: Buffer): Promise<void> {
  const sheet = (await readWorkbook(result)).worksheets[0];
  expect(sheet?.getRow(2).getCell(2).value).toBe("Row 1");
  expect(sheet?.getRow(2).getCell(3).value).toBeCloseTo(83.0979178892449, 10);
  expect(sheet?.getRow(2).getCell(4).value).toEqual(new Date("2026-01-02T00:00:00Z"));
}

async function readWorkbook(bytes: Buffer): Promise<ExcelJS.Workbook> {
  const workbook = new ExcelJS.Workbook();
  // Its types know the buffers of an older Node.
  await workbook.xlsx.load(bytes as unknown as ExcelJS.Buffer);
  return workbook;
}

/** The processes of basic engines that this one has started. */
function children(): string[] {
  const listed = execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], { encoding: "utf8" });
  return listed.split("\n").filter((line) => line.includes("basic-process"));
}
