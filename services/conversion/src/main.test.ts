import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { busMigrations } from "@assistant/kit/events/bus-postgres-schema.js";
import { until } from "@assistant/kit/testing/until.js";
import {
  callAs,
  createTestDatabase,
  createTestIdentity,
  quiet,
  type TestDatabase,
  type TestIdentity,
} from "@assistant/kit/testing.js";
import { dial, type Peer } from "@assistant/kit/wire/dial.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { type Server, serve, served } from "@assistant/kit/wire/serve.js";
import { CallersServiceService } from "@assistant/proto/assistant/common/v1/callers.js";
import { ConversionServiceService as rpcs } from "@assistant/proto/assistant/conversion/v1/service.js";
import { HealthService } from "@assistant/proto/grpc/health/v1/health.js";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { messagesOf } from "./testing/conversion.js";

// What runs is what `npm run build` made of the sources.
const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));

let bus: TestDatabase;
let identity: TestIdentity;
let keys: { server: Server; close(): Promise<void> };
let folder: string;
let peer: Peer | undefined;
let environment: Record<string, string>;
const running = new Set<ChildProcess>();
// A whole process, while all cores may be at work on other tests.
const START_MS = 90_000;

beforeAll(async () => {
  [bus, identity] = await Promise.all([createTestDatabase(busMigrations), createTestIdentity()]);
  keys = await serveKeys(identity);
  folder = await mkdtemp(join(tmpdir(), "assistant-main-"));
  const address = `127.0.0.1:${await freePort()}`;
  environment = {
    LISTEN: address,
    BUS_DATABASE_URL: bus.url,
    IDENTITY_URL: `127.0.0.1:${keys.server.port}`,
    PUBLIC_URL: identity.issuer,
    WORK_FOLDER: folder,
    OFFICE_SLOTS: "0",
    LOG_LEVEL: "warn",
  };
});
afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  peer?.close();
  await keys.close();
  await Promise.all([bus.close(), identity.close(), rm(folder, { recursive: true })]);
});

jest.setTimeout(2 * START_MS);

describe("the process", () => {
  let child: ChildProcess;
  test("says everything that is wrong with its environment, and ends", async () => {
    const wrong = { UPLOAD_MAX_BYTES: "lots", CACHE_MAX_AGE: "1", OFFICE_SLOTS: "-1", GOTENBERG_URL: "here" };
    const { code, said } = await ended(start({ ...environment, ...wrong }));
    expect(code).toBe(1);
    for (const name of Object.keys(wrong)) expect(said).toContain(name);
    expect((await ended(start({ ...environment, BUS_DATABASE_URL: "" }))).said).toContain(
      "NATS_URL or BUS_DATABASE_URL",
    );
    expect((await ended(start({ ...environment, WORK_FOLDER: "/dev/null/work" }))).code).toBe(1);
  });

  test("is ready without an office, and converts", async () => {
    child = start(environment);
    await ready();
    const { items } = await service().call(rpcs.listXlsxFormats, {}, await someone());
    expect(items.map(({ engine }) => engine)).toContain("tables");
    expect((await converted()).subarray(0, 2).toString()).toBe("PK");
    expect(await readdir(folder)).toHaveLength(1);
  });

  test("when it is killed leaves a folder, which the next one removes", async () => {
    const [before] = await readdir(folder);
    child.kill("SIGKILL");
    await ended(child);
    expect(await readdir(folder)).toEqual([before]);
    child = start(environment);
    await ready();
    const names = await readdir(folder);
    expect(names).toHaveLength(1);
    expect(names).not.toEqual([before]);
  });

  test("ends in order, and leaves nothing", async () => {
    child.kill("SIGTERM");
    expect(await ended(child)).toEqual({ code: 0, said: "" });
    expect(await readdir(folder)).toEqual([]);
  });

  test("keeps its results over a restart where it has a folder for them", async () => {
    const cached = { ...environment, CACHE_FOLDER: join(folder, "cache") };
    const caller = (await someone()).caller;
    for (const steps of [
      ["inspect", "queue"],
      ["inspect", "cache"],
    ]) {
      child = start(cached);
      await ready();
      expect((await stepsOf(caller)).slice(0, 2)).toEqual(steps);
      child.kill("SIGTERM");
      await ended(child);
    }
    expect(await readdir(folder)).toEqual(["cache"]);
  });
});

async function someone() {
  const call = callAs({});
  return { ...call, caller: { ...call.caller, token: await identity.token(call.caller) } };
}

const UPLOAD = { name: "a.csv", bytes: Buffer.from("a,b\n1,2\n") };

async function converted(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const { part } of service().stream(rpcs.convertToXlsx, messagesOf(UPLOAD), await someone())) {
    if (part?.$case === "chunk") chunks.push(part.value);
  }
  return Buffer.concat(chunks);
}

async function stepsOf(caller: ReturnType<typeof callAs>["caller"]): Promise<string[]> {
  for await (const { part } of service().stream(rpcs.convertToXlsx, messagesOf(UPLOAD), { ...callAs({}), caller })) {
    if (part?.$case === "head") return part.value.timings.map(({ step }) => step);
  }
  return [];
}

/** Waits for the process, and reaches it anew: who has seen it dead waits a while before asking again. */
async function ready(): Promise<void> {
  await until(isReady, START_MS);
  peer?.close();
  peer = dial({ from: "gateway", to: "conversion", address: environment["LISTEN"] ?? "", log: quiet });
}

/** The service, once it was ready. */
function service(): Peer {
  if (peer === undefined) throw new Error("the service is not there yet");
  return peer;
}

async function isReady(): Promise<boolean> {
  const { LISTEN: address = "" } = environment;
  const asking = dial({ from: "gateway", to: "conversion", address, log: quiet });
  const answer = asking.call(HealthService.check, { service: "ready" }, callAs({}));
  return answer.then(({ status }) => status === "SERVING").finally(() => asking.close());
}

/** The test identity's keys, for this service. */
async function serveKeys({ address, verifier }: TestIdentity) {
  const source = dial({ from: "test", to: "identity", address, log: quiet });
  const { getKeys, listRevocations } = CallersServiceService;
  const handlers: Handlers<Pick<typeof CallersServiceService, "getKeys" | "listRevocations">> = {
    getKeys: (request, call) => source.call(getKeys, request, call),
    listRevocations: (request, call) => source.call(listRevocations, request, call),
  };
  const services = [served({ getKeys, listRevocations }, handlers, ["getKeys", "listRevocations"])];
  const options = { name: "identity", listen: "127.0.0.1:0", allowedCallers: ["conversion"], log: quiet };
  const server = await serve({ ...options, services, verifier });
  return {
    server,
    async close() {
      source.close();
      await server.stop(1_000);
    },
  };
}

function start(env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [MAIN], { env, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  return child;
}

async function ended(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  const pieces: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (piece) => pieces.push(piece));
  }
  await once(child, "close");
  running.delete(child);
  return { code: child.exitCode, said: pieces.join("") };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}
