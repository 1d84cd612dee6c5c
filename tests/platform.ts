import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** The whole platform, started by the launcher as a newcomer starts it, on a free port and a folder of its own. */
export interface Platform {
  readonly url: string;
  readonly folder: string;
  /** An access token of a user, the admin if none is named. */
  token(email?: string): Promise<string>;
  get<T>(path: string, token: string): Promise<T>;
  post<T>(path: string, token: string, body: unknown): Promise<T>;
  put<T>(path: string, token: string): Promise<T>;
  /** Process id of a part: `launcher`, `gateway`, `contexts`, `conversion`, `identity`, `postgres`. */
  pidOf(part: string): Promise<number>;
  /** A service's database, as its service reaches it. */
  databaseUrl(service: string): Promise<string>;
  /** Starts it again on the same folder and port, after `crash` or `stop`. */
  start(): Promise<void>;
  /** Ends it as Ctrl-C does. */
  end(): Promise<void>;
  /** `end`, and the folder is removed. */
  stop(): Promise<void>;
}

export interface PlatformOptions {
  readonly words?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** Offices that convert; absent: none, for warming them up takes the machine from everybody else. */
  readonly offices?: number;
}

/** Starts a platform and answers once it is ready. */
export async function startPlatform({
  words = [],
  environment = {},
  offices = 0,
}: PlatformOptions = {}): Promise<Platform> {
  // The launcher makes it, open as far as the user that Postgres runs as needs.
  const folder = join(tmpdir(), `assistant-platform-test-${randomBytes(6).toString("hex")}`);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [join(launcher, "start.mjs"), "--no-install", "--data", folder, "--port", String(port), ...words];
  let child: ChildProcess;
  const platform: Platform = {
    url,
    folder,
    async token(email) {
      const user = email === undefined ? [] : ["--user", email];
      const { stdout } = await run(process.execPath, [join(launcher, "token.mjs"), "--port", String(port), ...user]);
      return stdout.trim();
    },
    get: (path, token) => call(url, path, { headers: { authorization: `Bearer ${token}` } }),
    post: (path, token, body) =>
      call(url, path, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    put: (path, token) => call(url, path, { method: "PUT", headers: { authorization: `Bearer ${token}` } }),
    async pidOf(part) {
      if (part === "postgres") return (await postmaster(folder)).pid;
      const note = JSON.parse(await readFile(join(folder, "launcher.json"), "utf8"));
      const marked = part === "launcher" ? note.launcher : note.children[part];
      if (marked === undefined)
        throw new Error(`${part} does not run; these do: ${Object.keys(note.children).join(", ")}`);
      return marked.pid;
    },
    async databaseUrl(service) {
      const password = (await readFile(join(folder, "secrets", `${service}-password`), "utf8")).trim();
      return `postgres://${service}:${password}@127.0.0.1:${(await postmaster(folder)).port}/${service}`;
    },
    async start() {
      child = spawn(process.execPath, args, {
        env: { ...process.env, OFFICE_SLOTS: String(offices), ...environment },
        stdio: ["ignore", "pipe", "pipe"],
      });
      await greeted(child);
    },
    async end() {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      if (child.exitCode !== null || child.signalCode !== null || !child.kill("SIGTERM")) return;
      await exited;
    },
    async stop() {
      await platform.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await platform.start();
  return platform;
}

const launcher = join(import.meta.dirname, "../deploy/local");
const run = promisify(execFile);
const STARTED_MS = 60_000;

/** The greeting says that everything runs and the demo data are there. */
async function greeted(child: ChildProcess): Promise<void> {
  let said = "";
  const hear = (chunk: Buffer) => {
    said += chunk.toString();
  };
  child.stdout?.on("data", hear);
  child.stderr?.on("data", hear);
  for (const deadline = Date.now() + STARTED_MS; Date.now() < deadline; ) {
    if (said.includes("The platform is running")) return;
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the launcher ended: ${said}`);
    await sleep(50);
  }
  child.kill("SIGTERM");
  throw new Error(`the platform did not start within ${STARTED_MS} ms: ${said}`);
}

/** Postgres notes its process on the first line of this file and its port on the fourth. */
async function postmaster(folder: string): Promise<{ pid: number; port: number }> {
  const lines = (await readFile(join(folder, "postgres/data/postmaster.pid"), "utf8")).split("\n");
  return { pid: Number(lines[0]), port: Number(lines[3]) };
}

async function call<T>(url: string, path: string, init: RequestInit): Promise<T> {
  const answer = await fetch(`${url}${path}`, init);
  if (!answer.ok) throw new Error(`${init.method ?? "GET"} ${path} answered ${answer.status}: ${await answer.text()}`);
  // The caller names what the operation answers; the golden and rights tests look at answers field by field.
  return (await answer.json()) as T;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return address.port;
}
