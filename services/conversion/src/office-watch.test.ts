import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@assistant/kit/testing/until.js";
import { quiet } from "@assistant/kit/testing.js";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Engine } from "./engine.js";
import { type OfficeWatch, type OfficeWatchOptions, watchOffice } from "./office-watch.js";
import { tablesEngine } from "./tables/tables-engine.js";

let folder: string;
let stateFile: string;
let watch: OfficeWatch;
let looks: number;
let opened: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "assistant-office-"));
  stateFile = join(folder, "office");
  looks = 0;
  opened = [];
});
afterEach(async () => {
  await watch.stop();
  await rm(folder, { recursive: true });
});

/** Any engine stands for the office: what matters is when it is opened. */
function start(about: Partial<OfficeWatchOptions>): void {
  const open = async (path: string): Promise<Engine> => {
    opened.push(path);
    return tablesEngine();
  };
  const find = async () => {
    looks += 1;
    return "/usr/bin/soffice";
  };
  watch = watchOffice({ find, open, stateFile, log: quiet, everyMs: 5, ...about });
}

describe("the watch for the office", () => {
  test("opens it at once where it is there", async () => {
    start({});
    await until(() => watch.engine() !== undefined);
    expect(watch.state()).toBe("ready");
    expect(opened).toEqual(["/usr/bin/soffice"]);
  });

  test("opens it as soon as it appears, once", async () => {
    let isThere = false;
    const find = async () => {
      looks += 1;
      return isThere ? "/usr/bin/soffice" : undefined;
    };
    start({ find, stateFile: undefined });
    await until(() => looks > 3);
    expect([watch.state(), watch.engine()]).toEqual(["absent", undefined]);
    isThere = true;
    await until(() => watch.state() === "ready");
    expect(opened).toHaveLength(1);
  });

  test("does not touch what is being installed", async () => {
    await writeFile(stateFile, "installing\n");
    start({});
    await until(() => watch.state() === "installing");
    expect(looks).toBe(0);
    await rm(stateFile);
    await until(() => watch.state() === "ready");
  });

  test("looks for itself where an installation has failed", async () => {
    await writeFile(stateFile, "absent");
    start({});
    await until(() => watch.state() === "ready");
  });

  test("tries again what does not open", async () => {
    let attempts = 0;
    const open = async () => {
      attempts += 1;
      if (attempts === 1) throw new Error("half of it is missing");
      return tablesEngine();
    };
    start({ open, everyMs: 1 });
    await until(() => attempts === 1);
    expect(watch.engine()).toBeUndefined();
    await until(() => watch.state() === "ready");
    expect(attempts).toBe(2);
  });

  test("ends while it waits, and closes what it has opened", async () => {
    let isClosed = false;
    const open = async (): Promise<Engine> => ({
      ...tablesEngine(),
      close: async () => {
        isClosed = true;
      },
    });
    start({ open });
    await until(() => watch.engine() !== undefined);
    await watch.stop();
    expect(isClosed).toBe(true);
    start({ find: async () => undefined, everyMs: 60_000 });
    await until(() => watch.state() === "absent");
    await watch.stop();
  });
});
