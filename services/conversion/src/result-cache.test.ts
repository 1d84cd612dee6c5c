import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quiet } from "@assistant/kit/testing.js";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { openResultCache, type ResultCache, type ResultCacheOptions } from "./result-cache.js";

let folder: string;
let cacheFolder: string;
let nowMs: number;
const open = (about: Partial<ResultCacheOptions> = {}) =>
  openResultCache({
    folder: cacheFolder,
    maxBytes: 16 * 4_096,
    maxAgeMs: 60_000,
    log: quiet,
    clock: () => nowMs,
    ...about,
  });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "assistant-cache-"));
  cacheFolder = join(folder, "results");
  nowMs = Date.now();
});
afterEach(() => rm(folder, { recursive: true }));

const key = (name: string) => Buffer.from(name.padEnd(32, "-")).toString("hex");

async function keep(cache: ResultCache, name: string, bytes: Buffer): Promise<void> {
  const path = join(folder, "made");
  await writeFile(path, bytes);
  await cache.keep(key(name), path, bytes.length);
}

async function read(cache: ResultCache, name: string): Promise<Buffer | undefined> {
  const found = await cache.open(key(name));
  if (found === undefined) return undefined;
  const bytes = await found.file.readFile();
  expect(bytes.length).toBe(found.sizeBytes);
  await found.file.close();
  return bytes;
}

const block = (text: string) => Buffer.alloc(4_096, text);

describe("the cache of results", () => {
  test("gives back what it was given, in a folder that nobody else reads", async () => {
    const cache = await open();
    const bytes = randomBytes(10_000);
    await keep(cache, "a", bytes);
    expect((await read(cache, "a"))?.equals(bytes)).toBe(true);
    expect(await read(cache, "b")).toBeUndefined();
    expect((await stat(cacheFolder)).mode & 0o777).toBe(0o700);
    const [name = ""] = await readdir(cacheFolder);
    expect((await stat(join(cacheFolder, name))).mode & 0o777).toBe(0o600);
    cache.close();
  });

  test("keeps a copy: whoever made the file may still write to it", async () => {
    const cache = await open();
    await keep(cache, "a", block("a"));
    await writeFile(join(folder, "made"), block("b"));
    expect((await read(cache, "a"))?.equals(block("a"))).toBe(true);
    cache.close();
  });

  test("drops what was not used for longest when there is no more room, and never holds more than it may", async () => {
    const cache = await open();
    for (let at = 0; at < 16; at += 1) await keep(cache, `r${at}`, block("x"));
    expect(await read(cache, "r0")).toBeDefined();
    await keep(cache, "one more", block("x"));
    expect(await read(cache, "r1")).toBeUndefined();
    expect(await read(cache, "r0")).toBeDefined();
    expect(await read(cache, "one more")).toBeDefined();
    expect(await readdir(cacheFolder)).toHaveLength(16);
    cache.close();
  });

  test("counts a tiny file as what it takes on disk", async () => {
    const cache = await open();
    for (let at = 0; at < 20; at += 1) await keep(cache, `r${at}`, Buffer.from("x"));
    expect(await readdir(cacheFolder)).toHaveLength(16);
    cache.close();
  });

  test("takes a quarter of itself as one file, and no more", async () => {
    const cache = await open();
    await keep(cache, "quarter", Buffer.alloc(4 * 4_096));
    await keep(cache, "more", Buffer.alloc(4 * 4_096 + 1));
    expect(await read(cache, "quarter")).toBeDefined();
    expect(await read(cache, "more")).toBeUndefined();
    cache.close();
  });

  test("keeps nothing where it has no room at all", async () => {
    const cache = await open({ maxBytes: 0 });
    await keep(cache, "a", block("a"));
    expect(await readdir(cacheFolder)).toEqual([]);
    cache.close();
  });

  test("forgets what is too old, however often it was used", async () => {
    const cache = await open();
    await keep(cache, "a", block("a"));
    nowMs += 60_000;
    expect(await read(cache, "a")).toBeDefined();
    nowMs += 1;
    expect(await read(cache, "a")).toBeUndefined();
    expect(await readdir(cacheFolder)).toEqual([]);
    cache.close();
  });

  test("serves no file that was cut short, gone or grown, and makes it anew", async () => {
    const cache = await open();
    const spoil = [
      (path: string) => truncate(path, 4_095),
      (path: string) => rm(path),
      (path: string) => writeFile(path, "and more", { flag: "a" }),
    ];
    for (const how of spoil) {
      await keep(cache, "a", block("a"));
      const [name = ""] = await readdir(cacheFolder);
      await how(join(cacheFolder, name));
      expect(await read(cache, "a")).toBeUndefined();
      expect(await readdir(cacheFolder)).toEqual([]);
    }
    await keep(cache, "a", block("a"));
    expect(await read(cache, "a")).toBeDefined();
    cache.close();
  });

  test("has after a restart what it had before, but nothing that is not whole or too old, and touches no other files", async () => {
    const before = await open();
    for (const name of ["whole", "cut", "old"]) await keep(before, name, block(name));
    before.close();
    const path = (name: string) => join(cacheFolder, `${key(name)}-4096`);
    await truncate(path("cut"), 100);
    await utimes(path("old"), 0, (nowMs - 60_001) / 1_000);
    await writeFile(join(cacheFolder, "draft-123"), "half");
    await writeFile(join(cacheFolder, "notes.txt"), "not ours");
    const after = await open();
    expect((await read(after, "whole"))?.equals(Buffer.alloc(4_096, "whole"))).toBe(true);
    expect(await read(after, "cut")).toBeUndefined();
    expect(await read(after, "old")).toBeUndefined();
    expect((await readdir(cacheFolder)).sort()).toEqual([`${key("whole")}-4096`, "notes.txt"].sort());
    expect(await readFile(join(cacheFolder, "notes.txt"), "utf8")).toBe("not ours");
    after.close();
  });

  test("shrinks at a start with less room, the oldest first", async () => {
    const before = await open();
    for (const [at, name] of ["first", "second", "third"].entries()) {
      await keep(before, name, block(name));
      await utimes(join(cacheFolder, `${key(name)}-4096`), 0, nowMs / 1_000 - 10 + at);
    }
    before.close();
    const after = await open({ maxBytes: 2 * 4_096 });
    expect(await read(after, "first")).toBeUndefined();
    expect(await read(after, "third")).toBeDefined();
    after.close();
  });

  test("lets a reader read on what is dropped meanwhile", async () => {
    const cache = await open();
    await keep(cache, "a", block("a"));
    const found = await cache.open(key("a"));
    for (let at = 0; at < 16; at += 1) await keep(cache, `r${at}`, block("x"));
    expect(await read(cache, "a")).toBeUndefined();
    expect((await found?.file.readFile())?.equals(block("a"))).toBe(true);
    await found?.file.close();
    cache.close();
  });

  test("fails nobody when its folder is gone", async () => {
    const cache = await open();
    await keep(cache, "a", block("a"));
    await rm(cacheFolder, { recursive: true });
    await keep(cache, "b", block("b"));
    expect(await read(cache, "a")).toBeUndefined();
    expect(await read(cache, "b")).toBeUndefined();
    cache.close();
  });

  test("may be given the same result by several at the same time", async () => {
    const cache = await open();
    await Promise.all(Array.from({ length: 8 }, () => keep(cache, "a", block("a"))));
    expect((await read(cache, "a"))?.equals(block("a"))).toBe(true);
    expect(await readdir(cacheFolder)).toHaveLength(1);
    cache.close();
  });
});
