import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type Platform, startPlatform } from "../platform.js";

const LAUNCHER = join(import.meta.dirname, "../../deploy/local");

describe("a running platform", () => {
  let platform: Platform;
  beforeAll(async () => {
    platform = await startPlatform({ words: ["--no-nats", "--no-redis", "--no-demo"] });
  }, 90_000);
  afterAll(() => platform.stop());

  test("is answered with its address and its process when it is started again on the same folder", async () => {
    const pid = await platform.pidOf("launcher");
    const again = await launch("start.mjs", ["--data", platform.folder, "--port", "1025"]);
    expect(again).toEqual({
      code: 0,
      error: "",
      output: `Already running at ${platform.url} (data: ${platform.folder}). Ctrl-C there or \`kill ${pid}\` stops it.`,
    });
  });

  test("keeps its port: another start there says so in one line", async () => {
    const folder = join(tmpdir(), `assistant-platform-test-${process.pid}`);
    const other = await launch("start.mjs", ["--data", folder, "--port", portOf(platform)]);
    await rm(folder, { recursive: true, force: true });
    expect(other.code).toBe(1);
    expect(other.error).toMatch(/^Port \d+ is in use: .*--port N\.$/);
  });

  test("keeps its secrets in files that only their owner may read", async () => {
    const folder = join(platform.folder, "secrets");
    const modes = await Promise.all(
      readdirSync(folder).map(async (name) => (await stat(join(folder, name))).mode & 0o777),
    );
    expect(new Set(modes)).toEqual(new Set([0o600]));
    expect(modes.length).toBeGreaterThanOrEqual(8);
  });

  test("gives a token for nobody it does not know, and says so without a token on the output", async () => {
    const token = await launch("token.mjs", ["--port", portOf(platform), "--user", "nobody@nowhere.example"]);
    expect(token).toMatchObject({ code: 1, output: "" });
    expect(token.error).toMatch(/gives no token for nobody@nowhere\.example: 4\d\d/);
  });

  test("comes back by itself when one of its parts is killed", async () => {
    const before = await platform.pidOf("identity");
    process.kill(before, "SIGKILL");
    await until(async () => (await platform.pidOf("identity")) !== before);
    await until(async () => (await fetch(`${platform.url}/readyz`)).ok);
  });
});

describe("an ephemeral platform", () => {
  test("leaves neither process nor folder behind", async () => {
    const port = String(20_000 + (process.pid % 10_000));
    const words = ["--no-install", "--ephemeral", "--no-demo", "--port", port];
    const child = spawn(process.execPath, [join(LAUNCHER, "start.mjs"), ...words]);
    const output = collect(child.stdout);
    const ended = new Promise((resolve) => child.once("close", resolve));
    await until(async () => output().includes("The platform is running") || child.exitCode !== null, 60_000);
    const folder = /Data +(\S+)/.exec(output())?.[1] ?? "no folder was printed";
    expect(existsSync(folder)).toBe(true);
    expect(output()).toMatch(/^ {2}Office +(LibreOffice|absent)/m);
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(existsSync(folder)).toBe(false);
    await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow();
  }, 90_000);
});

describe("what cannot be started is told in one line", () => {
  let blocker: Server | undefined;
  afterEach(() => {
    blocker?.close();
  });

  test.each([
    [["--prot", "1"], /^Unknown option '--prot'/],
    [["--port", "99999"], /^--port must be 1 to 65535/],
    [["--port", "0"], /^--port must be 1 to 65535/],
    [["--port"], /^Option '--port <value>' argument missing/],
    [["now"], /^Unexpected argument 'now'/],
    [["--ephemeral", "--data", "x"], /^--ephemeral and --data exclude each other/],
    [["--ephemeral", "--bind", "192.0.2.1", "--port", "1025"], /^192\.0\.2\.1 is no address of this machine/],
  ])("%j", async (words, line) => {
    const { code, error } = await launch("start.mjs", words);
    expect({ code, lines: error.split("\n").length }).toEqual({ code: 1, lines: 1 });
    expect(error).toMatch(line);
  });

  test.each([
    ["nonsense", /^DATABASE_URL is no URL/],
    ["postgres://nobody:wrong@127.0.0.1:1/postgres", /^Postgres at 127\.0\.0\.1:1 cannot be used: .*DATABASE_URL\.$/],
  ])("DATABASE_URL %s", async (DATABASE_URL, line) => {
    const words = ["--ephemeral", "--no-nats", "--no-redis", "--port", "1026"];
    const { code, error } = await launch("start.mjs", words, { DATABASE_URL });
    expect(code).toBe(1);
    expect(error).toMatch(line);
  });

  test("a token where no platform of ours runs", async () => {
    // A folder for temporary files of its own: nothing is noted as running there.
    const TMPDIR = await mkdtemp(join(tmpdir(), "assistant-platform-test-"));
    const token = await launch("token.mjs", [], { TMPDIR });
    await rm(TMPDIR, { recursive: true });
    expect(token).toEqual({ code: 1, output: "", error: "No platform of yours runs here: start it with `npm start`." });
  });

  test("a port that something else holds", async () => {
    blocker = createServer();
    await new Promise<void>((resolve) => blocker?.listen(0, "127.0.0.1", resolve));
    const address = blocker.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const { code, error } = await launch("start.mjs", ["--ephemeral", "--port", port]);
    expect({ code, error }).toEqual({
      code: 1,
      error: `Port ${port} is in use: end what listens there, or choose another with --port N.`,
    });
  });
});

async function launch(script: string, words: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  // A test that fails must not install anything either.
  const guard = script === "start.mjs" ? ["--no-install"] : [];
  const child = spawn(process.execPath, [join(LAUNCHER, script), ...guard, ...words], {
    env: { ...process.env, ...environment },
  });
  const output = collect(child.stdout);
  const error = collect(child.stderr);
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { code, output: output().trim(), error: error().trim() };
}

function collect(stream: NodeJS.ReadableStream) {
  let text = "";
  stream.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

function portOf(platform: Platform): string {
  return new URL(platform.url).port;
}

async function until(holds: () => Promise<boolean>, patienceMs = 15_000): Promise<void> {
  for (const giveUpAtMs = Date.now() + patienceMs; Date.now() < giveUpAtMs; ) {
    if (await holds().catch(() => false)) return;
    await sleep(20);
  }
  throw new Error(`still not so after ${patienceMs} ms: ${holds.toString()}`);
}
