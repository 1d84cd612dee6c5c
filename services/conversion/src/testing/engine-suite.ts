import { readdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { Fault } from "@assistant/kit/wire/fault.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Engine } from "../engine.js";
import type { Target } from "../format.js";
import { formats } from "../inspection/formats.js";
import { type JobOrder, openJob } from "./jobs.js";

/** A file to convert, and what must hold for the result. */
export interface EngineSample extends JobOrder {
  readonly name: string;
  check(result: Buffer): Promise<void> | void;
}

export interface EngineSuite {
  /** What is tested, and if it is skipped, why. */
  readonly title: string;
  readonly skipped?: boolean;
  /** With everything that it needs, at work. */
  open(): Promise<Engine>;
  readonly samples: readonly [EngineSample, ...EngineSample[]];
  /** What an engine has to refuse: bytes that got past the inspection. */
  readonly broken: readonly JobOrder[];
}

/** What every engine guarantees, whatever it is made of. */
export function testEngine(suite: EngineSuite): void {
  (suite.skipped === true ? describe.skip : describe)(suite.title, () => {
    let engine: Engine;
    beforeAll(async () => {
      engine = await suite.open();
    });
    afterAll(() => engine.close());
    const get = () => engine;
    testResults(suite, get);
    testRefusals(suite, get);
    testPatience(suite, get);
  });
}

function testResults({ samples }: EngineSuite, engine: () => Engine): void {
  test("takes only formats that the platform knows, and those it is tested with", () => {
    const known = new Set(formats.map(({ extension }) => extension));
    const taken = TARGETS.flatMap((target) => [...engine().takes(target)]);
    expect(taken.filter((extension) => !known.has(extension))).toEqual([]);
    for (const { target, extension } of samples) expect([...engine().takes(target)]).toContain(extension);
  });

  test.each(samples.map((sample) => [sample.name, sample] as const))(
    "converts %s",
    async (_, sample) => {
      const job = await openJob(sample);
      const result = await engine().convert(job);
      expect(dirname(result.path)).toBe(job.folder);
      await sample.check(await readFile(result.path));
      expect((await readFile(job.source.path)).equals(sample.bytes)).toBe(true);
      for (const { durationMs } of result.timings) expect(durationMs).toBeGreaterThanOrEqual(0);
      await job.end();
    },
    BUSY_MS,
  );

  test(
    "gives each of sixteen callers the result of his own file",
    async () => {
      const orders = Array.from({ length: 16 }, (_, at) => samples[at % samples.length] ?? samples[0]);
      await Promise.all(
        orders.map(async (sample, at) => {
          const job = await openJob(sample, { callerId: `usr_${at % 3}` });
          const result = await engine().convert(job);
          await sample.check(await readFile(result.path));
          await job.end();
        }),
      );
    },
    BUSY_MS,
  );
}

function testRefusals({ broken }: EngineSuite, engine: () => Engine): void {
  // Jest knows no table without rows.
  if (broken.length === 0) return;
  test.each(broken.map((order) => [`${order.extension} to ${order.target}`, order] as const))(
    "refuses a broken %s with a fault about the file",
    async (_, order) => {
      const job = await openJob(order);
      const fault = await faultOf(engine().convert(job));
      expect(fault.kind).toBe("invalid");
      expect(fault.violations).toEqual([expect.objectContaining({ path: ["file"] })]);
      await job.end();
    },
    BUSY_MS,
  );
}

function testPatience({ samples: [sample] }: EngineSuite, engine: () => Engine): void {
  test("does not begin what nobody waits for", async () => {
    const job = await openJob(sample, { signal: AbortSignal.abort(new Fault("late", "the client went away")) });
    expect((await faultOf(engine().convert(job))).kind).toBe("late");
    expect(await readdir(job.folder)).toEqual([`input.${sample.extension}`]);
    await job.end();
  });

  test("does not begin what cannot be ready in time", async () => {
    const job = await openJob(sample, { deadlineMs: Date.now() - 1 });
    expect((await faultOf(engine().convert(job))).kind).toBe("late");
    await job.end();
  });

  test("lets go of what is given up under way, and goes on converting", async () => {
    const gone = new AbortController();
    const job = await openJob(sample, { signal: gone.signal });
    const outcome = settled(engine().convert(job));
    gone.abort(new Fault("late", "the client went away"));
    // It may have been ready before.
    const { fault } = await outcome;
    expect(fault?.kind ?? "late").toBe("late");
    await job.end();
    const next = await openJob(sample);
    await sample.check(await readFile((await engine().convert(next)).path));
    await next.end();
  });
}

// All cores may be at work on other tests.
const BUSY_MS = 180_000;

const TARGETS: readonly Target[] = ["pdf", "xlsx"];

/** The Fault that a conversion ends with; fails if it ends otherwise. */
export async function faultOf(work: Promise<unknown>): Promise<Fault> {
  const { fault } = await settled(work);
  if (fault === undefined) throw new Error("it converts, but should not");
  return fault;
}

async function settled(work: Promise<unknown>): Promise<{ fault?: Fault }> {
  try {
    await work;
    return {};
  } catch (error) {
    if (error instanceof Fault) return { fault: error };
    throw error;
  }
}
