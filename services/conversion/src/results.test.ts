import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@assistant/kit/testing/until.js";
import { callAs, quiet } from "@assistant/kit/testing.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Engine, Source } from "./engine.js";
import { openResultCache, type ResultCache } from "./result-cache.js";
import { createResults } from "./results.js";
import { tablesEngine } from "./tables/tables-engine.js";
import { faultOf } from "./testing/engine-suite.js";
import { openJob } from "./testing/jobs.js";
import { openWorkFolder, type WorkFolder } from "./work-folder.js";

let folder: string;
let work: WorkFolder;
let cache: ResultCache;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "assistant-results-"));
  work = await openWorkFolder(folder, quiet);
  cache = await openResultCache({ folder: join(folder, "cache"), maxBytes: 2 ** 20, maxAgeMs: 60_000, log: quiet });
});
afterEach(async () => {
  cache.close();
  expect(await readdir(work.path)).toEqual([]);
  await rm(folder, { recursive: true });
});

const caller = callAs({}).caller;
const callWith = (given: Partial<Call> = {}) => callAs(caller, given);

/** An upload of these bytes, each time another file. */
async function upload(text = "a,b\n1,2\n"): Promise<{ source: Source; end(): Promise<void> }> {
  return openJob({ extension: "csv", target: "xlsx", bytes: Buffer.from(text) });
}

describe("results", () => {
  test("are made for the others when who began went away before the upload could be taken over", async () => {
    let open = () => {};
    let looks = 0;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow: ResultCache = {
      ...cache,
      async open(key) {
        looks += 1;
        await gate;
        return cache.open(key);
      },
    };
    const results = createResults({ engines: () => [tablesEngine()], cache: slow, work, log: quiet });
    const [first, second] = [await upload(), await upload()];
    const gone = new AbortController();
    const abandoned = faultOf(results.obtain(first.source, "xlsx", callWith({ signal: gone.signal })));
    await until(() => looks === 1);
    const waiting = results.obtain(second.source, "xlsx", callWith());
    gone.abort(new Fault("late", "the client went away"));
    expect((await abandoned).kind).toBe("late");
    await first.end();
    open();
    const { seat } = await waiting;
    expect(seat.made.sizeBytes).toBeGreaterThan(0);
    seat.leave();
    await second.end();
  });

  test("depend on the version of the engine", async () => {
    const engine = { ...tablesEngine(), version: "1" };
    const results = createResults({ engines: () => [engine], cache, work, log: quiet });
    const { source, end } = await upload();
    const keys = new Set<string>();
    for (const version of ["1", "2", "1"]) {
      engine.version = version;
      const { key, seat } = await results.obtain(source, "xlsx", callWith());
      keys.add(key);
      seat.leave();
    }
    expect(keys.size).toBe(2);
    await end();
  });

  test("that are empty are no results", async () => {
    const idle: Engine = {
      ...tablesEngine(),
      async convert(job) {
        const path = join(job.folder, "result.xlsx");
        await writeFile(path, "");
        return { path, timings: [] };
      },
    };
    const results = createResults({ engines: () => [idle], cache, work, log: quiet });
    const { source, end } = await upload();
    await expect(results.obtain(source, "xlsx", callWith())).rejects.toThrow("tables made nothing");
    await end();
  });

  test("are closed once nobody reads them any more", async () => {
    const results = createResults({ engines: () => [tablesEngine()], cache, work, log: quiet });
    const { source, end } = await upload();
    const { seat } = await results.obtain(source, "xlsx", callWith());
    expect(seat.made.file.fd).toBeGreaterThan(0);
    seat.leave();
    await until(() => seat.made.file.fd === -1);
    await end();
  });
});
