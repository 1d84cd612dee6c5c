import { createHash, randomBytes } from "node:crypto";
import { CallersServiceService, type GetCallerResponse } from "@assistant/proto/assistant/common/v1/callers.js";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import pg from "pg";
import { anonymous, type Caller } from "./caller/caller.js";
import type { Revocations } from "./caller/revocations.js";
import { createVerifier, type Verifier } from "./caller/verifier.js";
import { type Migrations, migrate } from "./database/migrate.js";
import { newId } from "./process/id.js";
import { createLog, type Log } from "./process/log.js";
import { type Revoked, testRevocations } from "./testing/test-revocations.js";
import type { Call } from "./wire/call.js";
import { dial } from "./wire/dial.js";
import { serve, served } from "./wire/serve.js";
import { newTraceparent } from "./wire/trace.js";

export interface TestDatabase {
  readonly url: string;
  close(): Promise<void>;
}

/** A database of its own for each test file, cloned from a template that the first one to need these migrations makes. */
export async function createTestDatabase(migrations: Migrations): Promise<TestDatabase> {
  const template = await ensureTemplate(migrations);
  const name = `test_${randomBytes(8).toString("hex")}`;
  await asAdmin((admin) => admin.query(`create database ${name} template ${template}`));
  return {
    url: urlOf(name),
    close: async () => {
      await asAdmin((admin) => admin.query(`drop database if exists ${name} with (force)`));
    },
  };
}

/** A stand-in for the identity service: real tokens, and a real server that tells the keys they are signed with. */
export interface TestIdentity {
  readonly address: string;
  readonly issuer: string;
  readonly audience: string;
  /** As every service makes one; it asks this identity for the keys. */
  readonly verifier: Verifier;
  /** What the verifier knows of revocations. */
  readonly revocations: Revocations;
  /** An access token for this caller; `claims` replaces single claims, and undefined leaves one out. */
  token(caller: Partial<Caller>, claims?: Readonly<Record<string, unknown>>): Promise<string>;
  /** What GetCaller answers, for tokens that cannot carry all groups. */
  setGroups(groups: GetCallerResponse): void;
  /** Ends a session, or raises the epoch of a principal: tokens made by `token` say 1. Everybody is told. */
  revoke(revoked: Revoked): Promise<void>;
  close(): Promise<void>;
}

export async function createTestIdentity(): Promise<TestIdentity> {
  const issuer = "https://assistant.example";
  const audience = `${issuer}/api`;
  const kid = newId("key");
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const { x = "", y = "" } = await exportJWK(publicKey);
  let groups: GetCallerResponse = { group_ids: [], managed_group_ids: [] };
  const told = testRevocations({ postgresUrl: testPostgresUrl(), log: quiet });
  const handlers = {
    getKeys: async () => ({ keys: [{ kid, kty: "EC", crv: "P-256", x, y, alg: "ES256", use: "sig" }] }),
    getCaller: async () => groups,
    listRevocations: async () => ({ revocations: told.listed }),
  };
  // The server verifies with the keys that it tells itself, so its verifier comes only after it.
  const late: Verifier = { verify: (token, about) => verifier.verify(token, about) };
  const services = [served(CallersServiceService, handlers, ["getKeys", "listRevocations"])];
  const server = await serve({
    name: "identity",
    listen: "127.0.0.1:0",
    services,
    verifier: late,
    allowedCallers: ["test"],
    log: quiet,
  });
  const address = `127.0.0.1:${server.port}`;
  const peer = dial({ from: "test", to: "identity", address });
  const revocations = await told.watch(peer);
  const verifier = createVerifier({ identity: peer, revocations, issuer, audience });
  return {
    address,
    issuer,
    audience,
    verifier,
    revocations,
    token: (caller, claims = {}) =>
      new SignJWT({ iss: issuer, aud: audience, ...claimsOf(callerOf(caller)), ...claims })
        .setProtectedHeader({ alg: "ES256", kid, typ: "at+jwt" })
        .sign(privateKey),
    setGroups: (changed) => {
      groups = changed;
    },
    revoke: told.revoke,
    async close() {
      await revocations.close();
      await told.close();
      peer.close();
      await server.stop(1_000);
    },
  };
}

/** A user with a session, a member of an org of its own unless said otherwise. */
export function callerOf(given: Partial<Caller>): Caller {
  const fresh = { principalId: newId("usr"), orgId: newId("org"), sessionId: newId("ses") };
  return { ...anonymous, kind: "user", ...fresh, ...given };
}

/** A call as a handler gets it. */
export function callAs(caller: Partial<Caller>, given: Partial<Call> = {}): Call {
  return {
    rpc: "/test.v1.TestService/Test",
    caller: callerOf(caller),
    deadlineMs: Date.now() + CALL_MS,
    signal: AbortSignal.timeout(CALL_MS),
    requestId: `test-${randomBytes(4).toString("hex")}`,
    traceparent: newTraceparent(),
    reply: {},
    ...given,
  };
}

/** A log for tests: what goes wrong on purpose is not worth a line. */
export const quiet: Log = createLog("test", "0", "silent");

/** The server that jest's global setup started, or one given by hand. */
export function testPostgresUrl(): string {
  const url = process.env.TEST_POSTGRES_URL;
  if (url === undefined) {
    throw new Error("TEST_POSTGRES_URL is not set: run the tests with jest, which starts a server for them");
  }
  return url;
}

const CALL_MS = 10_000;
const TOKEN_S = 600;

function claimsOf(caller: Caller): Record<string, unknown> {
  const nowS = Math.floor(Date.now() / 1_000);
  return {
    sub: caller.principalId,
    org: caller.orgId,
    sid: caller.sessionId,
    jti: newId("jti"),
    iat: nowS,
    exp: nowS + TOKEN_S,
    scope: caller.scopes.length === 0 ? undefined : caller.scopes.join(" "),
    role: caller.role,
    pa: caller.platformAdmin,
    grp: [...caller.groupIds],
    gmgr: [...caller.managedGroupIds],
    ep: 1,
    amr: ["test"],
    uc: caller.useCaseId,
  };
}

const TEMPLATE_KEY = 5_201_733;

/** Test files run in parallel processes: one of them makes the template, the others wait for it. */
async function ensureTemplate(migrations: Migrations): Promise<string> {
  const template = `template_${fingerprint(migrations)}`;
  await asAdmin(async (admin) => {
    await admin.query("select pg_advisory_lock($1)", [TEMPLATE_KEY]);
    const { rowCount } = await admin.query("select from pg_database where datname = $1", [template]);
    if (rowCount === 0) {
      const draft = `${template}_draft`;
      await admin.query(`drop database if exists ${draft} with (force)`);
      await admin.query(`create database ${draft}`);
      await migrate({ url: urlOf(draft), name: draft, migrations, log: quiet });
      await admin.query(`alter database ${draft} rename to ${template}`);
    }
  });
  return template;
}

/** Names and texts: a migration that changed while the server stayed must not meet its old template. */
function fingerprint(migrations: Migrations): string {
  const hash = createHash("sha256");
  for (const [name, { up }] of Object.entries(migrations)) {
    hash.update(name).update(String(up));
  }
  return hash.digest("hex").slice(0, 16);
}

async function asAdmin<T>(work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: testPostgresUrl() });
  // A server killed by a test is that test's concern.
  admin.on("error", (error) => quiet.warn({ err: error }, "the test server went away"));
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

function urlOf(database: string): string {
  const url = new URL(testPostgresUrl());
  url.pathname = `/${database}`;
  return url.href;
}
