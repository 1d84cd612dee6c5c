import { randomBytes } from "node:crypto";
import { anonymous } from "@assistant/kit/caller/caller.js";
import { watchRevocations } from "@assistant/kit/caller/revocations.js";
import { createVerifier, type Verifier } from "@assistant/kit/caller/verifier.js";
import { createPager } from "@assistant/kit/database/page.js";
import { openPostgres, type Postgres } from "@assistant/kit/database/postgres.js";
import { type Keyring, openKeyring } from "@assistant/kit/database/seal.js";
import { createWrite } from "@assistant/kit/database/write.js";
import { openNotices } from "@assistant/kit/events/open-notices.js";
import { newId } from "@assistant/kit/process/id.js";
import { createLog, type Log } from "@assistant/kit/process/log.js";
import { until } from "@assistant/kit/testing/until.js";
import { createTestDatabase, quiet } from "@assistant/kit/testing.js";
import type { Call, Client, IfMatch, Reply } from "@assistant/kit/wire/call.js";
import { dial, type Peer } from "@assistant/kit/wire/dial.js";
import type { Rpc } from "@assistant/kit/wire/rpc.js";
import { serve } from "@assistant/kit/wire/serve.js";
import { newTraceparent } from "@assistant/kit/wire/trace.js";
import { bootstrap } from "../bootstrap.js";
import { startRevocationPush } from "../revocations.js";
import { type OpenedSaml, openSaml } from "../saml/open-saml.js";
import { identityService, type ServiceParts } from "../service.js";
import { signingKeys } from "../signing-keys.js";
import { migrations } from "../store/migrations/index.js";
import { useCases } from "../use-cases.js";
import { type Catalog, serveCatalog } from "./catalog.js";

/** The identity service as others meet it: over gRPC, with a database of its own, the first org made. */
export interface Platform {
  db: Postgres;
  databaseUrl: string;
  /** Where it serves gRPC. */
  address: string;
  keyring: Keyring;
  bootstrapToken: string;
  issuer: string;
  audience: string;
  /** Verifies tokens as every other service does. */
  verifier: Verifier;
  /** The use cases that identity finds when it asks catalog. */
  catalog: Catalog;
  saml: OpenedSaml;
  /** For what is served to browsers beside it. */
  parts: ServiceParts;
  clock(): number;
  /** Lets time pass for keys and tokens that are made from now on. */
  wait(ms: number): void;
  /** Whoever has this token; without one, somebody unknown. */
  bearer(token: string): Bearer;
  close(): Promise<void>;
}

export interface Bearer {
  token: string;
  ask<Q, R>(rpc: Rpc<Q, R>, request: Q, beside?: Beside): Promise<R>;
  /** As `ask`, with what travels beside the answer. */
  exchange<Q, R>(rpc: Rpc<Q, R>, request: Q, beside?: Beside): Promise<{ answer: R; reply: Reply }>;
}

export interface Beside {
  ifMatch?: IfMatch;
  idempotencyKey?: string;
  client?: Client;
}

export const ADMIN_EMAIL = "admin@first.example";

export interface PlatformOptions {
  log?: Log;
  keyring?: Keyring;
  /** Carries the notices; else the platform's own database does. */
  natsUrl?: string;
}

export async function openPlatform(given: PlatformOptions = {}): Promise<Platform> {
  const ground = await openGround(given);
  // Its callers bring tokens of this identity, whose verifier comes only after it.
  const catalog = await serveCatalog({ verify: (token, about) => identity.verifier.verify(token, about) });
  const time = createTime();
  const { parts, saml } = await partsOn(ground, catalog, time.clock);
  const identity = identityService(parts);
  const wire = await serveIdentity(identity, ground);
  const { db, databaseUrl, keyring } = ground;
  const { issuer, audience, clock, bootstrapToken } = parts;
  const place = { db, databaseUrl, keyring, catalog, parts, saml, issuer, audience, clock, bootstrapToken };
  return {
    ...place,
    address: wire.address,
    verifier: createVerifier({ identity: wire.peer, revocations: wire.revocations, issuer, audience, clock }),
    wait: time.wait,
    bearer: (token) => bearerOf(token, wire.peer),
    async close() {
      await wire.close();
      await identity.revocations.close();
      await catalog.close();
      await saml.close();
      await ground.close();
    },
  };
}

function createTime() {
  let passedMs = 0;
  const wait = (ms: number) => {
    passedMs += ms;
  };
  return { clock: () => Date.now() + passedMs, wait };
}

/** What identity is made of, the first org in its database. */
async function partsOn(ground: Ground, catalog: Catalog, clock: () => number) {
  const { db, keyring, relay, log, revocationsOf } = ground;
  const issuer = "https://assistant.example";
  const keys = signingKeys({ db, keyring, clock });
  await keys.prepare(ORIGIN);
  await bootstrap(db, ORIGIN, { orgName: "First", email: ADMIN_EMAIL });
  const write = createWrite(db, { relay, keyring });
  const nouns = { db, write, relay, log, pager: createPager(keyring), useCases: useCases(catalog.peer) };
  const saml = openSaml({ db, keyring, clock, relay, log, publicUrl: issuer, allowedNetworks: ["127.0.0.0/8"] });
  const secrets = { keyring, bootstrapToken: randomBytes(24).toString("hex"), signingKeys: keys };
  const names = { issuer, audience: `${issuer}/api` };
  return { saml, parts: { ...nouns, ...secrets, ...names, clock, revocationsOf, saml: saml.tools } };
}

/** Serves identity, and asks it as another service does. */
async function serveIdentity({ services, verifier, revocations: own }: Identity, { log, revocationsOf }: Ground) {
  const allowedCallers = ["gateway", "contexts"];
  const server = await serve({ name: "identity", listen: "127.0.0.1:0", services, verifier, allowedCallers, log });
  const address = `127.0.0.1:${server.port}`;
  const peer = dial({ from: "gateway", to: "identity", address, log: quiet });
  const revocations = revocationsOf(peer);
  await until(() => own.isKnown() && revocations.isKnown());
  const close = async () => {
    await revocations.close();
    peer.close();
    await server.stop(1_000);
  };
  return { address, peer, revocations, close };
}

type Ground = Awaited<ReturnType<typeof openGround>>;
type Identity = ReturnType<typeof identityService>;

/** What an identity stands on: its database, its keyring, and the way to tell of revocations. */
async function openGround({ log, keyring = newKeyring(), natsUrl }: PlatformOptions) {
  const database = await createTestDatabase(migrations);
  const db = openPostgres({ url: database.url, poolMax: 10, log: quiet });
  const notices = openNotices({ name: "identity", natsUrl, postgresUrl: database.url, log: quiet });
  const relay = startRevocationPush({ db, notices, log: quiet });
  return {
    db,
    databaseUrl: database.url,
    keyring,
    relay,
    // Only what is internal, which no test provokes.
    log: log ?? createLog("identity", "0", "error"),
    revocationsOf: (identity: Peer) => watchRevocations({ identity, notices, log: quiet }),
    async close() {
      await relay.stop();
      await notices.close();
      await db.close();
      await database.close();
    },
  };
}

export const ORIGIN = { actorId: "", requestId: "test", traceparent: newTraceparent() };

export function newKeyring(): Keyring {
  return openKeyring(JSON.stringify({ active: "k1", keys: { k1: randomBytes(32).toString("base64") } }));
}

function bearerOf(token: string, peer: Peer): Bearer {
  const exchange = async <Q, R>(rpc: Rpc<Q, R>, request: Q, beside: Beside = {}) => {
    const call: Call = {
      rpc: rpc.path,
      caller: { ...anonymous, token },
      deadlineMs: Date.now() + 10_000,
      signal: AbortSignal.timeout(10_000),
      requestId: newId("req"),
      traceparent: newTraceparent(),
      reply: {},
      ...beside,
    };
    const answer = await peer.call(rpc, request, call);
    return { answer, reply: call.reply };
  };
  return { token, exchange, ask: async (rpc, request, beside) => (await exchange(rpc, request, beside)).answer };
}
