import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { officeMissing } from "../testing/office.js";
import { findOffice, installationOf, officeVersion } from "./find-office.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "assistant-find-"));
});
afterAll(() => rm(folder, { recursive: true }));

const missing = officeMissing();
const found = missing === undefined ? test : test.skip;
const reason = missing === undefined ? "" : ` (skipped: ${missing})`;

found(`finds the office that is installed, its version, and it again by a link${reason}`, async () => {
  const path = await findOffice();
  expect(await officeVersion(path ?? "", folder)).toMatch(/^LibreOffice \d/);
  const link = join(folder, "link");
  await symlink(path ?? "", link);
  expect(await findOffice(link)).toBe(link);
  expect(await installationOf(link)).toEqual(await installationOf(path ?? ""));
});

test("looks for no other office where one is named, and takes none that is not whole", async () => {
  expect(await findOffice(join(folder, "nothing"))).toBeUndefined();
  const script = join(folder, "soffice");
  await writeFile(script, "#!/bin/sh\n");
  await chmod(script, 0o755);
  expect(await findOffice(script)).toBeUndefined();
});
