import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { quiet } from "@assistant/kit/testing.js";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { processAge } from "./leftovers.js";
import { openWorkFolder } from "./work-folder.js";

// What another process runs is what `npm run build` made of the sources.
const DIST = fileURLToPath(new URL("../dist/", import.meta.url));

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "assistant-work-"));
});
afterEach(() => rm(parent, { recursive: true }));

/** Another process with a work folder and a job under way, in the path that it tells. */
async function worker() {
  const script = `
    const { openWorkFolder } = await import(${JSON.stringify(`${DIST}work-folder.js`)});
    const work = await openWorkFolder(${JSON.stringify(parent)}, { info() {} });
    await (await work.open());
    process.stdout.write(work.path);
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [path] = await once(child.stdout, "data");
  return {
    path: String(path),
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

describe("the work folder", () => {
  test("is there for every piece of work apart, and nobody else gets in", async () => {
    const work = await openWorkFolder(parent, quiet);
    const [one, other] = [await work.open(), await work.open()];
    expect(one.path).not.toBe(other.path);
    expect((await stat(one.path)).mode & 0o777).toBe(0o700);
    expect((await stat(work.path)).mode & 0o777).toBe(0o711);
    await writeFile(join(one.path, "input"), "x");
    await one.remove();
    expect(await readdir(work.path)).toHaveLength(1);
    await work.close();
    expect(await readdir(parent)).toEqual([]);
  });

  test("may be removed twice", async () => {
    const work = await openWorkFolder(parent, quiet);
    const folder = await work.open();
    await folder.remove();
    await folder.remove();
    await work.close();
  });

  test("of a killed process is removed at the next start, that of a running one stays", async () => {
    const [killed, running] = [await worker(), await worker()];
    await killed.kill();
    const work = await openWorkFolder(parent, quiet);
    const names = (await readdir(parent)).map((name) => join(parent, name));
    expect(names.sort()).toEqual([running.path, work.path].sort());
    expect(await readdir(running.path)).toHaveLength(1);
    await work.close();
    await running.kill();
  });

  test("of a process whose number has come again is removed; what is no folder of ours stays", async () => {
    const work = await openWorkFolder(parent, quiet);
    const prefix = dirname(work.path) === parent ? work.path.slice(0, work.path.indexOf(`-${process.pid}-`)) : "";
    await work.close();
    await mkdir(`${prefix}-${process.pid}-1-abcdef`);
    const kept = [`${prefix}-notes`, join(parent, "assistant-conversion-00000000-1-1-abcdef"), join(parent, "other")];
    for (const path of kept) await mkdir(path);
    await writeFile(`${prefix}-1-1-file`, "");
    const next = await openWorkFolder(parent, quiet);
    const names = (await readdir(parent)).map((name) => join(parent, name));
    expect(names.sort()).toEqual([...kept, `${prefix}-1-1-file`, next.path].sort());
    await next.close();
  });

  test("tells processes apart by when they began", async () => {
    expect(await processAge(process.pid)).toMatch(/^\d+$/);
    expect(await processAge(process.pid)).toBe(await processAge(process.pid));
    expect(await processAge(2 ** 22 + 1)).toBeUndefined();
  });
});
