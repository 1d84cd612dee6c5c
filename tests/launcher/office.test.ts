import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { until } from "@assistant/kit/testing/until.js";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { resolveOffice } from "../../deploy/local/office.mjs";
import { startOptions } from "../../deploy/local/options.mjs";
import { openPlace, type Place } from "../../deploy/local/place.mjs";

const INSTALLATION = new URL("../../deploy/local/office-installation.mjs", import.meta.url).href;
const COMMAND = /apt-get install -y --no-install-recommends libreoffice-writer-nogui .*python3-uno/;
const { PATH } = process.env;

// What stands for the machine's apt-get: it writes down how it was called, and does what the files beside it say.
const APT_GET = `#!/bin/sh
cd "$(dirname "$0")"
echo "$DEBIAN_FRONTEND $*" >> calls
case "$*" in
  update) step=update ;;
  *--download-only) step=download ;;
  *) step=unpacking ;;
esac
if [ -e "$step-fails" ]; then echo "E: Unable to $step"; echo "E: Something follows from it"; exit 100; fi
trap "echo interrupted >> calls; exit 130" INT
touch "$step-began"
while [ -e "$step-hangs" ]; do sleep 0.05; done
if [ $step = unpacking ] && [ ! -e finds-nothing ]; then
  touch soffice
fi
`;

let folder: string;
let bin: string;
let place: Place;
let said: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "assistant-platform-test-"));
  bin = join(folder, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "apt-get"), APT_GET);
  await chmod(join(bin, "apt-get"), 0o755);
  process.env.PATH = `${bin}${delimiter}${PATH}`;
  said = [];
  const watcher = { log: (line: string) => void said.push(line), started: () => undefined };
  place = openPlace({ root: folder, folder, isEphemeral: false, watcher });
  runsAs(0);
});
afterEach(async () => {
  process.env.PATH = PATH;
  delete process.env.GOTENBERG_URL;
  delete process.env.OFFICE_PATH;
  delete process.env.OFFICE_SLOTS;
  jest.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

describe("LibreOffice", () => {
  test("is used where it is found, and nothing is installed", async () => {
    await installed();
    const office = await resolve();
    expect(office).toMatchObject({ choice: `LibreOffice 7.4 (${join(bin, "soffice")})`, install: undefined });
    expect(state()).toBeUndefined();
  });

  test("is installed in the background where it is missing, and left alone by the service until it is whole", async () => {
    await mark("unpacking-hangs");
    const office = await resolve();
    expect(office.choice).toBe(`installing LibreOffice (log: ${place.logFile("office-installation")})`);
    expect(state()).toBe("installing");
    const part = office.install?.();
    await until(async () => existsSync(join(bin, "unpacking-began")));
    expect(state()).toBe("installing");
    await release("unpacking-hangs");
    await until(async () => state() === undefined);
    await until(async () => said.length === 1);
    expect(said).toEqual([`LibreOffice 7.4 (${join(bin, "soffice")}) is installed: it converts from now on.`]);
    expect(calls()).toEqual([
      "noninteractive update",
      expect.stringMatching(/^noninteractive -o DPkg::Lock::Timeout=\d+ install -y .* --download-only$/),
      expect.stringMatching(/^noninteractive -o DPkg::Lock::Timeout=\d+ install -y .* fonts-crosextra-caladea$/),
    ]);
    await part?.stop();
  });

  test("is installed although a list of packages cannot be fetched", async () => {
    await mark("update-fails");
    const part = (await resolve()).install?.();
    await until(async () => said.length === 1);
    expect(said[0]).toContain("is installed");
    await part?.stop();
  });

  test.each([
    ["download-fails", "Unable to download"],
    ["unpacking-fails", "Unable to unpacking"],
    ["finds-nothing", "apt-get has succeeded, but there is none that works"],
  ])(
    "that cannot be installed (%s) is told in one line with its cause, and the platform goes on",
    async (name, cause) => {
      await mark(name);
      const part = (await resolve()).install?.();
      await until(async () => said.length === 1);
      expect(said[0]).toMatch(/^LibreOffice is not installed: [^\n]*$/);
      expect(said[0]).toContain(cause);
      expect(said[0]).toMatch(COMMAND);
      expect(state()).toBe("absent");
      await part?.stop();
    },
  );

  test("is not downloaded any further once the platform stops", async () => {
    await mark("download-hangs");
    const part = (await resolve()).install?.();
    await until(async () => existsSync(join(bin, "download-began")));
    await part?.stop();
    expect(calls().slice(2)).toEqual(["interrupted"]);
    expect(said).toEqual([]);
  });

  test("that is being unpacked when the platform stops is waited for, and not interrupted", async () => {
    await mark("unpacking-hangs");
    const part = (await resolve()).install?.();
    await until(async () => existsSync(join(bin, "unpacking-began")));
    const stopped = part?.stop();
    expect(said).toEqual([expect.stringMatching(/^LibreOffice is being unpacked: waiting for apt-get \(log: /)]);
    await release("unpacking-hangs");
    await stopped;
    expect(existsSync(join(bin, "soffice"))).toBe(true);
    expect(calls()).not.toContain("interrupted");
  });

  test("that is being unpacked when the launcher is killed gets whole all the same", async () => {
    await mark("unpacking-hangs");
    const options = { aptGet: join(bin, "apt-get"), logFile: join(folder, "log") };
    const script = `
      import { installOffice } from ${JSON.stringify(INSTALLATION)};
      installOffice({ ...${JSON.stringify(options)}, log: console.log, ended: async () => {} });`;
    const launcher = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
    await until(async () => existsSync(join(bin, "unpacking-began")));
    launcher.kill("SIGKILL");
    await once(launcher, "exit");
    await release("unpacking-hangs");
    await until(async () => existsSync(join(bin, "soffice")));
  });
});

describe("nothing is installed, and what to do is said,", () => {
  test.each([
    ["where --no-install forbids it", ["--no-install"], 0, COMMAND],
    ["where nothing is to be kept", ["--ephemeral"], 0, COMMAND],
    ["where we are an ordinary user", [], 1000, /sudo apt-get install/],
  ])("%s", async (_case, words, uid, choice) => {
    runsAs(uid);
    const office = await resolve(words);
    expect(office.choice).toMatch(/^absent, so few formats convert: /);
    expect(office.choice).toMatch(choice);
    expect(office.install).toBeUndefined();
    expect(state()).toBe("absent");
  });

  test("where there is no apt-get", async () => {
    process.env.PATH = folder;
    expect(await resolve()).toMatchObject({ install: undefined, choice: expect.stringMatching(/install LibreOffice/) });
  });

  test("where OFFICE_PATH names another one than apt-get would bring", async () => {
    process.env.OFFICE_PATH = "/nowhere/soffice";
    const choice = expect.stringMatching(/OFFICE_PATH names no LibreOffice that works \(\/nowhere\/soffice\)/);
    expect(await resolve()).toMatchObject({ install: undefined, choice });
  });

  test("where OFFICE_SLOTS wants none", async () => {
    process.env.OFFICE_SLOTS = "0";
    expect(await resolve()).toMatchObject({ install: undefined, choice: "without LibreOffice (OFFICE_SLOTS is 0)" });
  });

  test("where GOTENBERG_URL names a converter, whose password is not printed", async () => {
    process.env.GOTENBERG_URL = "http://user:secret@pdf.example:3000";
    const choice = "Gotenberg at pdf.example:3000 (GOTENBERG_URL)";
    expect(await resolve()).toMatchObject({ install: undefined, choice });
    await installed();
    expect(await resolve()).toMatchObject({ choice: `LibreOffice 7.4 (${join(bin, "soffice")}), ${choice}` });
  });
});

function resolve(words: readonly string[] = []) {
  const soffice = join(bin, "soffice");
  const search = {
    findOffice: async () => (existsSync(soffice) ? soffice : undefined),
    officeVersion: async () => "LibreOffice 7.4.7.2",
  };
  return resolveOffice({ place, options: startOptions(words, {}), search });
}

function runsAs(uid: number): void {
  jest.spyOn(process, "getuid").mockReturnValue(uid);
}

async function installed(): Promise<void> {
  await mark("soffice");
}

async function mark(name: string): Promise<void> {
  await writeFile(join(bin, name), "");
}

async function release(name: string): Promise<void> {
  await rm(join(bin, name));
}

function calls(): string[] {
  return readFileSync(join(bin, "calls"), "utf8").trim().split("\n");
}

function state(): string | undefined {
  const file = join(folder, "office-state");
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}
