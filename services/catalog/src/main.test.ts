import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
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
import type { Call } from "@assistant/kit/wire/call.js";
import { dial, type Peer } from "@assistant/kit/wire/dial.js";
import type { AnyRpc, Handlers } from "@assistant/kit/wire/rpc.js";
import { type Server, serve, served } from "@assistant/kit/wire/serve.js";
import { CatalogServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/service.js";
import { CallersServiceService } from "@assistant/proto/assistant/common/v1/callers.js";
import { HealthService } from "@assistant/proto/grpc/health/v1/health.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { creation } from "./testing/verbs.js";

// What runs is what `npm run build` made of the sources.
const DIST = fileURLToPath(new URL("../dist/", import.meta.url));

let database: TestDatabase;
let bus: TestDatabase;
let identity: TestIdentity;
let relay: Peer;
let callers: Server;
let catalog: Peer;
let environment: Record<string, string>;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  [database, bus, identity] = await Promise.all([
    createTestDatabase({}),
    createTestDatabase(busMigrations),
    createTestIdentity(),
  ]);
  relay = dial({ from: "test", to: "identity", address: identity.address, log: quiet });
  callers = await serveCallers();
  const address = `127.0.0.1:${await freePort()}`;
  catalog = dial({ from: "gateway", to: "catalog", address, log: quiet });
  environment = {
    LISTEN: address,
    DATABASE_URL: database.url,
    BUS_DATABASE_URL: bus.url,
    IDENTITY_URL: `127.0.0.1:${callers.port}`,
    KEYRING: JSON.stringify({ active: "k1", keys: { k1: randomBytes(32).toString("base64") } }),
    PUBLIC_URL: identity.issuer,
    LOG_LEVEL: "warn",
  };
});
afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  catalog.close();
  relay.close();
  await callers.stop(1_000);
  await Promise.all([database.close(), bus.close(), identity.close()]);
});

describe("the process", () => {
  test("says everything that its environment lacks, and ends", async () => {
    const { code, said } = await ended(start("main.js", {}));
    expect(code).toBe(1);
    expect(said).toContain("DATABASE_URL or DATABASE_URL_FILE must be set");
    expect(said).toContain("KEYRING or KEYRING_FILE must be set");
    const { BUS_DATABASE_URL: _, ...without } = environment;
    expect((await ended(start("main.js", without))).said).toContain("NATS_URL or BUS_DATABASE_URL must be set");
  });

  test("is ready once the schema is there, answers, and ends in order", async () => {
    const child = start("main.js", environment);
    await until(async () => (await health("")) === "SERVING");
    expect(await health("ready")).toBe("NOT_SERVING");
    const migration = await ended(start("migrate.js", { MIGRATE_DATABASE_URL: database.url, LOG_LEVEL: "warn" }));
    expect(migration).toEqual({ code: 0, said: "" });
    await until(async () => (await health("ready")) === "SERVING");

    const editor = { role: "editor" as const };
    const { caller } = callAs({ ...editor, token: await identity.token(editor) });
    const { use_case } = await catalog.call(rpcs.createUseCase, creation(), callAs(caller));
    const found = await catalog.call(rpcs.getUseCase, { use_case_id: use_case?.id }, callAs(caller));
    expect(found.use_case).toEqual(use_case);

    child.kill("SIGTERM");
    expect((await ended(child)).code).toBe(0);
  });
});

/** What the test identity tells of callers, for this service. */
function serveCallers(): Promise<Server> {
  const rpcsOf: Record<string, AnyRpc> = CallersServiceService;
  const pass = Object.entries(rpcsOf).map(([name, rpc]) => [
    name,
    (request: unknown, call: Call) => relay.call(rpc, request, call),
  ]);
  // Each rpc is passed on to its like, so each handler takes and answers the messages of its rpc.
  const handlers = Object.fromEntries(pass) as Handlers<typeof CallersServiceService>;
  return serve({
    name: "identity",
    listen: "127.0.0.1:0",
    services: [served(CallersServiceService, handlers, ["getKeys", "listRevocations"])],
    verifier: identity.verifier,
    allowedCallers: ["catalog"],
    log: quiet,
  });
}

function start(script: string, env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [`${DIST}${script}`], { env, stdio: ["ignore", "pipe", "pipe"] });
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

function health(service: string): Promise<string> {
  return catalog.call(HealthService.check, { service }, callAs({})).then(({ status }) => status, String);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}
