import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unavailable } from "@assistant/kit/wire/fault.js";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { asDiskFault } from "./disk-faults.js";
import { spool, type UploadMessage } from "./spool.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "assistant-spool-"));
});
afterEach(() => rm(folder, { recursive: true }));

const MAX_BYTES = 100_000;
const head = (name: string): UploadMessage => ({ part: { $case: "head", value: { name } } });
const chunk = (bytes: Buffer): UploadMessage => ({ part: { $case: "chunk", value: bytes } });

async function* sent(...messages: UploadMessage[]): AsyncGenerator<UploadMessage> {
  yield* messages;
}

describe("the spool", () => {
  test("writes what comes to disk, for nobody else to read, counts and hashes it", async () => {
    const pieces = [Buffer.from("one"), Buffer.alloc(0), Buffer.alloc(65_536, 7), Buffer.from("end")];
    const upload = await spool(sent(head("../a.csv"), ...pieces.map(chunk)), folder, MAX_BYTES);
    const whole = Buffer.concat(pieces);
    expect(upload).toEqual({
      name: "../a.csv",
      path: join(folder, "input"),
      sizeBytes: whole.length,
      sha256: createHash("sha256").update(whole).digest("hex"),
    });
    expect((await readFile(upload.path)).equals(whole)).toBe(true);
    expect((await stat(upload.path)).mode & 0o777).toBe(0o600);
  });

  test("takes a file without a byte, for others to judge", async () => {
    expect((await spool(sent(head("a.csv")), folder, MAX_BYTES)).sizeBytes).toBe(0);
  });

  test("takes as many bytes as the limit says, and stops reading at the first one more", async () => {
    const most = [chunk(Buffer.alloc(MAX_BYTES - 1)), chunk(Buffer.alloc(1))];
    expect((await spool(sent(head("a"), ...most), folder, MAX_BYTES)).sizeBytes).toBe(MAX_BYTES);
    let asked = 0;
    const endless = async function* () {
      yield head("a");
      for (;;) {
        asked += 1;
        yield chunk(Buffer.alloc(30_000));
      }
    };
    await expect(spool(endless(), folder, MAX_BYTES)).rejects.toMatchObject({
      kind: "large",
      violations: [{ path: ["file"], context: { max_bytes: MAX_BYTES } }],
    });
    expect(asked).toBe(4);
  });

  test.each([
    ["nothing", []],
    ["a chunk before the head", [chunk(Buffer.from("x")), head("a")]],
    ["two heads", [head("a"), head("b")]],
    ["a head after chunks", [head("a"), chunk(Buffer.from("x")), head("a")]],
    ["a part without content", [head("a"), {}]],
  ])("refuses %s", async (_, messages) => {
    await expect(spool(sent(...messages), folder, MAX_BYTES)).rejects.toMatchObject({ kind: "invalid" });
  });

  test("passes on what the upload ends with", async () => {
    const fault = unavailable("the line is dead");
    const broken = async function* () {
      yield head("a");
      throw fault;
    };
    await expect(spool(broken(), folder, MAX_BYTES)).rejects.toBe(fault);
  });

  const isLinux = process.platform === "linux";
  (isLinux ? test : test.skip)(
    `says that there is no room on a full disk${isLinux ? "" : " (skipped: no /dev/full here)"}`,
    async () => {
      await symlink("/dev/full", join(folder, "input"));
      const failure = await spool(sent(head("a"), chunk(Buffer.from("x"))), folder, MAX_BYTES).catch(asDiskFault);
      expect(failure).toMatchObject({ kind: "unavailable", retryAfterS: 5 });
    },
  );

  test("calls no other failure one of the disk", () => {
    const other = new Error("something else");
    expect(asDiskFault(other)).toBe(other);
  });
});
