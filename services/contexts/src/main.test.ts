import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { openPostgresBus } from "@assistant/kit/events/bus-postgres.js";
import { busMigrations } from "@assistant/kit/events/bus-postgres-schema.js";
import type { DomainEvent } from "@assistant/kit/events/event.js";
import { newId } from "@assistant/kit/process/id.js";
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
import { serve, served } from "@assistant/kit/wire/serve.js";
import { newTraceparent } from "@assistant/kit/wire/trace.js";
import { CallersServiceService } from "@assistant/proto/assistant/common/v1/callers.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { HealthService } from "@assistant/proto/grpc/health/v1/health.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";

// What runs is what `npm run build` made of the sources.
const DIST = fileURLToPath(new URL("../dist/", import.meta.url));

let database: TestDatabase;
let bus: TestDatabase;
let identity: TestIdentity;
let keys: Keys;
let environment: Record<string, string>;
let address: string;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  [database, bus, identity] = await Promise.all([
    createTestDatabase({}),
    createTestDatabase(busMigrations),
    createTestIdentity(),
  ]);
  keys = await serveKeys(identity);
  address = `127.0.0.1:${await freePort()}`;
  environment = {
    LISTEN: address,
    DATABASE_URL: database.url,
    BUS_DATABASE_URL: bus.url,
    IDENTITY_URL: keys.address,
    KEYRING: JSON.stringify({ active: "k1", keys: { k1: randomBytes(32).toString("base64") } }),
    PUBLIC_URL: identity.issuer,
    LOG_LEVEL: "warn",
  };
});
afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  await keys.close();
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

  test("is ready once the schema is there, hears of deleted groups, and ends in order", async () => {
    const child = start("main.js", environment);
    expect(await waitFor(() => health(""), "SERVING")).toBe("SERVING");
    expect(await health("ready")).toBe("NOT_SERVING");
    const migration = await ended(start("migrate.js", { MIGRATE_DATABASE_URL: database.url, LOG_LEVEL: "warn" }));
    expect(migration).toEqual({ code: 0, said: "" });
    expect(await waitFor(() => health("ready"), "SERVING")).toBe("SERVING");

    const groupId = newId("grp");
    const admin = { orgId: newId("org"), role: "admin" as const, groupIds: new Set([groupId]) };
    const caller = callAs({ ...admin, token: await identity.token(admin) }).caller;
    const peer = dial({ from: "gateway", to: "contexts", address, log: quiet });
    const request = { name: "Tone", scope_id: groupId };
    const { context_category } = await peer.call(rpcs.createContextCategory, request, callAs(caller));
    await publishDeletion(groupId, admin.orgId);
    const find = () => outcome(peer, context_category?.id, caller);
    expect(await waitFor(find, "missing")).toBe("missing");
    peer.close();

    child.kill("SIGTERM");
    expect((await ended(child)).code).toBe(0);
  });
});

interface Keys {
  address: string;
  close(): Promise<void>;
}

/** The test identity's keys, for this service. */
async function serveKeys({ address, verifier }: TestIdentity): Promise<Keys> {
  const source = dial({ from: "test", to: "identity", address, log: quiet });
  const handlers: Handlers<Pick<typeof CallersServiceService, "getKeys" | "listRevocations">> = {
    getKeys: (request, call) => source.call(CallersServiceService.getKeys, request, call),
    listRevocations: (request, call) => source.call(CallersServiceService.listRevocations, request, call),
  };
  const { getKeys, listRevocations } = CallersServiceService;
  const services = [served({ getKeys, listRevocations }, handlers, ["getKeys", "listRevocations"])];
  const options = { name: "identity", listen: "127.0.0.1:0", allowedCallers: ["contexts"], log: quiet };
  const server = await serve({ ...options, services, verifier });
  return {
    address: `127.0.0.1:${server.port}`,
    async close() {
      source.close();
      await server.stop(1_000);
    },
  };
}

function start(script: string, env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [`${DIST}${script}`], { env, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  return child;
}

async function ended(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  const pieces: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (piece) => pieces.push(piece));
  await once(child, "close");
  running.delete(child);
  return { code: child.exitCode, said: pieces.join("") };
}

/** Asks until the answer is the one waited for, for ten seconds; the last answer. */
async function waitFor(ask: () => Promise<string>, answer: string): Promise<string> {
  const deadlineMs = Date.now() + 10_000;
  let last = await ask();
  while (last !== answer && Date.now() < deadlineMs) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    last = await ask();
  }
  return last;
}

function health(service: string): Promise<string> {
  const peer = dial({ from: "gateway", to: "contexts", address, log: quiet });
  const answer = peer.call(HealthService.check, { service }, callAs({}));
  return answer.then(({ status }) => status, String).finally(peer.close);
}

async function outcome(
  peer: Peer,
  context_category_id: string | undefined,
  caller: ReturnType<typeof callAs>["caller"],
) {
  return peer.call(rpcs.getContextCategory, { context_category_id }, callAs(caller)).then(
    () => "found",
    (error) => String(error.kind),
  );
}

async function publishDeletion(groupId: string, orgId: string): Promise<void> {
  const event: DomainEvent = {
    id: newId("evt"),
    type: "identity.group.deleted",
    subject: groupId,
    orgId,
    sequence: 2,
    data: {},
    actorId: newId("usr"),
    requestId: newId("req"),
    traceparent: newTraceparent(),
    time: new Date(),
  };
  const publisher = openPostgresBus({ url: bus.url, log: quiet });
  await publisher.declare("identity");
  await publisher.publish([event]);
  await publisher.close();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}
