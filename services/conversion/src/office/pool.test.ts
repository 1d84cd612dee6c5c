import { readdir, readFile } from "node:fs/promises";
import { until } from "@assistant/kit/testing/until.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import { afterEach, describe, expect, test } from "@jest/globals";
import { faultOf } from "../testing/engine-suite.js";
import { openJob } from "../testing/jobs.js";
import { OFFICE_START_MS, officeMissing, openTestOffice, type TestOffice } from "../testing/office.js";
import { officeProcesses } from "../testing/office-processes.js";
import { expectPages } from "../testing/office-samples.js";
import type { OfficeEngineOptions } from "./office-engine.js";

const missing = officeMissing();
const title = missing === undefined ? "the pool of offices" : `the pool of offices (skipped: ${missing})`;
const TEST_MS = 2 * OFFICE_START_MS;

(missing === undefined ? describe : describe.skip)(title, () => {
  let office: TestOffice | undefined;
  afterEach(async () => {
    expect(await office?.end()).toEqual([]);
    office = undefined;
  }, OFFICE_START_MS);
  const open = async (options?: Partial<OfficeEngineOptions>) => {
    office = await openTestOffice(options);
    return office;
  };

  test(
    "is fair: who sent one file waits for one file of him who sent three",
    async () => {
      const { convert } = await open();
      const order: string[] = [];
      const send = async (callerId: string, name: string, bytes: Buffer) => {
        const job = await openJob({ extension: "csv", target: "pdf", bytes }, { callerId, deadlineMs: farAway() });
        await convert(job);
        order.push(name);
        await job.end();
      };
      const sent = [send("usr_a", "a0", slowTable())];
      await until(async () => (await jobFolders(office)).length === 1);
      for (const name of ["a1", "a2", "a3"]) {
        sent.push(send("usr_a", name, text(name)));
        await waitForSend();
      }
      sent.push(send("usr_b", "b1", text("b1")));
      await Promise.all(sent);
      expect(order).toEqual(["a0", "a1", "b1", "a2", "a3"]);
    },
    TEST_MS,
  );

  test(
    "answers that it is busy once as many wait as may, and takes more as soon as there is room",
    async () => {
      const { convert } = await open({ queueLimit: 2 });
      const jobs = [await slowJob(), await quickJob("1"), await quickJob("2"), await quickJob("3")];
      const [running, waiting, last, refused] = jobs;
      if (running === undefined || waiting === undefined || last === undefined || refused === undefined) return;
      const done = [convert(running), convert(waiting), convert(last)];
      const fault = await faultOf(convert(refused));
      expect([fault.kind, fault.retryAfterS]).toEqual(["unavailable", 2]);
      await Promise.all(done);
      await convert(refused);
      await Promise.all(jobs.map((job) => job.end()));
    },
    TEST_MS,
  );

  test(
    "large files leave an office to the small ones",
    async () => {
      const { convert } = await open({ slots: 2, graceMs: 0 });
      const gone = new AbortController();
      const larges = [await slowJob(gone.signal, 300_000), await slowJob(gone.signal, 300_001)];
      let settled = 0;
      const faults = larges.map(async (job) => {
        const fault = await faultOf(convert(job));
        settled += 1;
        return fault;
      });
      await until(async () => (await jobFolders(office)).length > 0);
      await expectConverts(office, "small");
      expect(settled).toBe(0);
      gone.abort();
      expect((await Promise.all(faults)).map(({ kind }) => kind)).toEqual(["late", "late"]);
      await Promise.all(larges.map((job) => job.end()));
    },
    TEST_MS,
  );

  test(
    "whose client goes away leaves the queue, and the rest moves up",
    async () => {
      const { convert } = await open({ queueLimit: 1 });
      const gone = new AbortController();
      const running = await slowJob();
      const waiting = await quickJob("gone", gone.signal);
      const next = await quickJob("next");
      const done = convert(running);
      const given = faultOf(convert(waiting));
      gone.abort();
      expect((await given).kind).toBe("late");
      const result = await Promise.all([convert(next), done]);
      await expectPages(await readFile(result[0].path), 1, ["next"]);
      await Promise.all([running, waiting, next].map((job) => job.end()));
    },
    TEST_MS,
  );

  test(
    "an office whose client goes away is ended when the grace is over, and replaced",
    async () => {
      const { convert } = await open({ graceMs: 0 });
      const gone = new AbortController();
      const job = await slowJob(gone.signal);
      const given = faultOf(convert(job));
      await until(async () => (await jobFolders(office)).length === 1);
      const [before] = await slotFolders(office);
      gone.abort();
      expect((await given).kind).toBe("late");
      await job.end();
      await expectConverts(office, "after it");
      expect(await slotFolders(office)).not.toContain(before);
    },
    TEST_MS,
  );

  test(
    "what takes too long is late, and is not tried again for a while",
    async () => {
      const { convert } = await open({ jobTimeoutMs: 100 });
      const bytes = slowTable(20_000);
      for (const [kind, types] of [
        ["late", []],
        ["invalid", ["file_too_complex"]],
      ] as const) {
        const job = await openJob({ extension: "csv", target: "pdf", bytes }, { deadlineMs: farAway() });
        const fault = await faultOf(convert(job));
        expect([fault.kind, fault.violations.map(({ type }) => type)]).toEqual([kind, types]);
        await job.end();
      }
    },
    TEST_MS,
  );

  test(
    "what is not done by its deadline is late, whether it waits or runs",
    async () => {
      const { convert } = await open();
      const running = await openJob({ extension: "csv", target: "pdf", bytes: slowTable() }, soon());
      const waiting = await openJob({ extension: "csv", target: "pdf", bytes: text("waits") }, soon());
      const faults = await Promise.all([faultOf(convert(running)), faultOf(convert(waiting))]);
      expect(faults.map(({ kind }) => kind)).toEqual(["late", "late"]);
      await Promise.all([running.end(), waiting.end()]);
      await expectConverts(office, "after it");
    },
    TEST_MS,
  );

  test(
    "a file that brings down two offices is refused, and the next one is converted",
    async () => {
      const { convert, folder } = await open();
      const job = await slowJob();
      const fault = faultOf(convert(job));
      for (let time = 0; time < 2; time++) {
        await until(async () => (await jobFolders(office)).length === 1, OFFICE_START_MS);
        for (const pid of await officeProcesses(folder)) process.kill(pid, "SIGKILL");
        await until(async () => (await jobFolders(office)).length === 0, OFFICE_START_MS);
      }
      expect((await fault).violations).toEqual([expect.objectContaining({ type: "file_too_complex" })]);
      expect((await faultOf(convert(job))).violations).toEqual([expect.objectContaining({ type: "file_too_complex" })]);
      await job.end();
      await expectConverts(office, "another file");
    },
    TEST_MS,
  );

  test(
    "is replaced after so many jobs, and never away meanwhile",
    async () => {
      const engine = await open({ jobsPerSlot: 2 });
      const [first] = await slotFolders(office);
      let sizes = new Set<number>();
      for (let index = 0; (await slotFolders(office)).includes(first ?? ""); index++) {
        await expectConverts(office, `file ${index}`);
        sizes = new Set([...sizes, engine.takes("pdf").size]);
      }
      expect(sizes).not.toContain(0);
    },
    TEST_MS,
  );

  test(
    "sixteen callers get their own file or a clear fault while offices are killed at random",
    async () => {
      const { convert, folder } = await open({ slots: 2 });
      let isOver = false;
      let kills = 0;
      const killing = (async () => {
        while (!isOver) {
          const running = (await jobFolders(office)).length;
          const [victim] = running === 0 ? [] : await officeProcesses(folder);
          if (victim !== undefined) {
            kill(victim);
            kills += 1;
            await until(() => isOver || office?.warmSlots === 2, OFFICE_START_MS);
          }
          await waitForSend();
        }
      })();
      const outcomes = await Promise.all(
        Array.from({ length: 16 }, async (_, caller) => {
          const name = `file of caller ${caller}`;
          const job = await openJob(
            { extension: "csv", target: "pdf", bytes: text(`${name}.`) },
            { callerId: `usr_${caller}`, deadlineMs: farAway() },
          );
          try {
            const { path } = await convert(job);
            await expectPages(await readFile(path), 1, [`${name}.`]);
            return "done";
          } catch (error) {
            if (!(error instanceof Fault)) throw error;
            return error.violations[0]?.type;
          } finally {
            await job.end();
          }
        }),
      );
      isOver = true;
      await killing;
      expect(kills).toBeGreaterThan(0);
      expect(outcomes.filter((outcome) => outcome !== "done" && outcome !== "file_too_complex")).toEqual([]);
      expect(outcomes).toContain("done");
      await expectConverts(office, "after all");
    },
    TEST_MS,
  );

  test(
    "those who wait when it closes are told, and nothing of it runs any more",
    async () => {
      const { convert, folder } = await open();
      const jobs = [await slowJob(), await quickJob("waits")];
      const faults = jobs.map((job) => faultOf(convert(job)));
      await until(async () => (await jobFolders(office)).length === 1);
      expect(await officeProcesses(folder)).toHaveLength(1);
      await office?.close();
      expect((await Promise.all(faults)).map(({ kind }) => kind)).toEqual(["unavailable", "unavailable"]);
      expect(await officeProcesses(folder)).toEqual([]);
      await Promise.all(jobs.map((job) => job.end()));
    },
    TEST_MS,
  );
});

const farAway = () => Date.now() + OFFICE_START_MS;
const soon = () => ({ deadlineMs: Date.now() + 300 });
const waitForSend = () => new Promise((resolve) => setTimeout(resolve, 50));

/** Keeps an office at work long enough for others to come. */
function slowTable(rows = 15_000): Buffer {
  return Buffer.from(Array.from({ length: rows }, (_, row) => `${row},some words,${row * 7}\n`).join(""));
}

function text(words: string): Buffer {
  return Buffer.from(`${words}\n`);
}

const slowJob = (signal = new AbortController().signal, rows?: number) =>
  openJob({ extension: "csv", target: "pdf", bytes: slowTable(rows) }, { signal, deadlineMs: farAway() });

const quickJob = (words: string, signal = new AbortController().signal) =>
  openJob({ extension: "csv", target: "pdf", bytes: text(words) }, { signal, deadlineMs: farAway() });

async function expectConverts(office: TestOffice | undefined, words: string): Promise<void> {
  const job = await quickJob(words);
  const result = await office?.convert(job);
  await expectPages(await readFile(result?.path ?? ""), 1, [words]);
  await job.end();
}

async function slotFolders(office: TestOffice | undefined): Promise<string[]> {
  return (await readdir(office?.folder ?? "")).sort();
}

/** The jobs that offices work on. */
async function jobFolders(office: TestOffice | undefined): Promise<string[]> {
  const slots = await slotFolders(office);
  const jobs = await Promise.all(slots.map((slot) => readdir(`${office?.folder}/${slot}/jobs`).catch(() => [])));
  return jobs.flat();
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It was quicker.
  }
}
