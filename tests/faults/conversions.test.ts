import { officeMissing, readPdf } from "@assistant/conversion/testing/office.js";
import { officeProcesses } from "@assistant/conversion/testing/office-processes.js";
import { readSheets } from "@assistant/conversion/testing/sheets.js";
import { inTemporaryFile } from "@assistant/conversion/testing/temporary-file.js";
import { until } from "@assistant/kit/testing/until.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Converted, convert, convertsWith } from "../conversions.js";
import { type Platform, startPlatform } from "../platform.js";

const COUNT = 200;
const AT_ONCE = 16;
const OFFICE_MS = 120_000;
const missing = officeMissing();

let platform: Platform;
let token: string;

beforeAll(async () => {
  if (missing !== undefined) return;
  platform = await startPlatform({ words: ["--no-demo"], offices: 2 });
  token = await platform.token();
  await until(() => convertsWith(platform, token, "rtf", "office"), OFFICE_MS);
}, 180_000);
afterAll(() => platform?.stop());

const title = missing === undefined ? "kill -9 of offices" : `kill -9 of offices (skipped: ${missing})`;
(missing === undefined ? describe : describe.skip)(title, () => {
  test(`${COUNT} mixed files, ${AT_ONCE} at a time: each answer is its own file or a clear error`, async () => {
    let isOver = false;
    const answers: { mark: string; target: "pdf" | "xlsx"; answer: Converted }[] = [];
    const good = () => answers.filter(({ answer }) => answer.status === 200);
    const killing = killAtRandom(
      () => good().length,
      () => isOver,
    );
    const numbers = Array.from({ length: COUNT }, (_, number) => number).values();
    const senders = Array.from({ length: AT_ONCE }, async () => {
      for (const number of numbers) {
        const mark = `mark${number}x${Math.random().toString(36).slice(2)}`;
        const { name, target, bytes } = fileOf(number, mark);
        answers.push({ mark, target, answer: await convert(platform, token, target, { name, bytes }) });
      }
    });
    await Promise.all(senders);
    isOver = true;

    expect(await killing).toBeGreaterThan(3);
    const bad = answers.filter(({ answer }) => answer.status !== 200);
    expect(bad.filter(({ answer }) => !CLEAR.has(`${answer.status} ${answer.problem}`))).toEqual([]);
    expect(good().length).toBeGreaterThan(COUNT / 2);
    const marks = new Set(answers.map(({ mark }) => mark));
    for (const { mark, target, answer } of good()) {
      const text = await textOf(target, answer.bytes);
      expect([...marks].filter((one) => text.includes(one))).toEqual([mark]);
    }
    // Everything works again.
    await until(async () => {
      const { name, target, bytes } = fileOf(1, "after all");
      return (await convert(platform, token, target, { name, bytes })).status === 200;
    }, OFFICE_MS);
  }, 600_000);
});

/** A file may bring down two offices only by being in them when they are killed; then nobody tries it again for a while. */
const CLEAR = new Set(["422 file_too_complex", "503 unavailable", "504 deadline_exceeded"]);

/** Files that are told apart by what they say. */
function fileOf(number: number, mark: string): { name: string; target: "pdf" | "xlsx"; bytes: Buffer } {
  const kinds = [
    { name: "a.csv", target: "xlsx", text: `a,b\n${mark},1\n` },
    { name: "a.rtf", target: "pdf", text: `{\\rtf1\\ansi ${mark}}` },
    { name: "a.html", target: "pdf", text: `<!doctype html><html><body><p>${mark}</p></body></html>` },
    { name: "a.slk", target: "xlsx", text: `ID;PWXL;N;E\nC;Y1;X1;K"${mark}"\nE\n` },
    { name: "a.txt", target: "pdf", text: `${mark}\n` },
  ] as const;
  const { name, target, text } = kinds[number % kinds.length] ?? kinds[0];
  return { name, target, bytes: Buffer.from(text) };
}

async function textOf(target: "pdf" | "xlsx", bytes: Buffer): Promise<string> {
  if (target === "pdf") return (await inTemporaryFile(bytes, readPdf)).text;
  return JSON.stringify(await readSheets(bytes));
}

/** Kills offices, whatever they do, each after some more files have been converted; answers how many it were. */
async function killAtRandom(converted: () => number, isOver: () => boolean): Promise<number> {
  let kills = 0;
  for (let next = 0; !isOver(); next = converted() + 5 + Math.random() * 15) {
    await until(() => isOver() || converted() >= next, OFFICE_MS);
    const offices = await officeProcesses(platform.folder);
    const victim = offices[Math.floor(Math.random() * offices.length)];
    if (victim !== undefined && tryKill(victim)) kills += 1;
  }
  return kills;
}

function tryKill(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    // It ended by itself meanwhile.
    return false;
  }
}
