import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";

const ROOT = join(import.meta.dirname, "..");
const LOCK = join(ROOT, "package-lock.json");
const folder = mkdtempSync(join(tmpdir(), "assistant-platform-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the lock file", () => {
  test("has every optional package of every platform and names no registry", () => {
    expect(lock("--check", LOCK)).toEqual({ status: 0, stderr: "" });
  });

  test("is completed where npm left other platforms out and wrote down addresses", () => {
    const file = join(folder, "package-lock.json");
    const name = "node_modules/@swc/core-linux-arm-gnueabihf";
    const whole = JSON.parse(readFileSync(LOCK, "utf8"));
    const { [name]: left, ...packages } = whole.packages;
    packages["node_modules/pg"].resolved = "https://registry.example/pg.tgz";
    writeFileSync(file, JSON.stringify({ ...whole, packages }));

    const check = lock("--check", file);
    expect(check.status).toBe(1);
    expect(check.stderr).toContain(`missing: ${name}`);
    expect(check.stderr).toContain("names a registry: node_modules/pg");

    expect(lock(file)).toEqual({ status: 0, stderr: "" });
    const completed = JSON.parse(readFileSync(file, "utf8")).packages;
    expect(completed[name]).toEqual({
      version: left.version,
      cpu: ["arm"],
      dev: true,
      libc: ["glibc"],
      optional: true,
      os: ["linux"],
    });
    expect(completed["node_modules/pg"]).not.toHaveProperty("resolved");
  });
});

function lock(...words: string[]) {
  const script = join(ROOT, "scripts", "lock.mjs");
  const { status, stderr } = spawnSync(process.execPath, [script, ...words], { encoding: "utf8" });
  return { status, stderr };
}
