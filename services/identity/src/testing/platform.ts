import { randomBytes } from "node:crypto";
import { anonymous } from "@assistant/kit/caller/caller.js";
import { createVerifier, type Verifier } from "@assistant/kit/caller/verifier.js";
import { createPager } from "@assistant/kit/database/page.js";
import { openPostgres, type Postgres } from "@assistant/kit/database/postgres.js";
import { type Keyring, openKeyring } from "@assistant/kit/database/seal.js";
import { createWrite } from "@assistant/kit/database/write.js";
import { newId } from "@assistant/kit/process/id.js";
import { createLog } from "@assistant/kit/process/log.js";
import { createTestDatabase, quiet } from "@assistant/kit/testing.js";
import type { Call, IfMatch, Reply } from "@assistant/kit/wire/call.js";
import { dial, type Peer } from "@assistant/kit/wire/dial.js";
import type { Rpc } from "@assistant/kit/wire/rpc.js";
import { serve } from "@assistant/kit/wire/serve.js";
import { newTraceparent } from "@assistant/kit/wire/trace.js";
import { bootstrap } from "../bootstrap.js";
import { identityService } from "../service.js";
import { signingKeys } from "../signing-keys.js";
import { migrations } from "../store/migrations/index.js";

/** The identity service as others meet it: over gRPC, with a database of its own, the first org made. */
export interface Platform {
  db: Postgres;
  databaseUrl: string;
  keyring: Keyring;
  bootstrapToken: string;
  issuer: string;
  audience: string;
  /** Verifies tokens as every other service does. */
  verifier: Verifier;
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
}

export const ADMIN_EMAIL = "admin@first.example";

export async function openPlatform(): Promise<Platform> {
  const database = await createTestDatabase(migrations);
  const db = openPostgres({ url: database.url, poolMax: 10, log: quiet });
  const keyring = newKeyring();
  const bootstrapToken = randomBytes(24).toString("hex");
  let passedMs = 0;
  const clock = () => Date.now() + passedMs;
  const issuer = "https://assistant.example";
  const audience = `${issuer}/api`;
  const keys = signingKeys({ db, keyring, clock });
  await keys.prepare(ORIGIN);
  await bootstrap(db, ORIGIN, { orgName: "First", email: ADMIN_EMAIL });
  const write = createWrite(db, { relay: { wake: () => undefined }, keyring });
  const pager = createPager(keyring);
  const parts = { db, write, pager, keyring, clock, bootstrapToken, signingKeys: keys, issuer, audience };
  const { services, peer: self } = identityService(parts);
  const server = await serve({
    name: "identity",
    listen: "127.0.0.1:0",
    services,
    verifier: createVerifier({ identity: self, issuer, audience, clock }),
    allowedCallers: ["gateway", "contexts"],
    // Only what is internal, which no test provokes.
    log: createLog("identity", "0", "error"),
  });
  const peer = dial({ from: "gateway", to: "identity", address: `127.0.0.1:${server.port}`, log: quiet });
  return {
    db,
    databaseUrl: database.url,
    keyring,
    bootstrapToken,
    issuer,
    audience,
    verifier: createVerifier({ identity: peer, issuer, audience, clock }),
    wait: (ms) => {
      passedMs += ms;
    },
    bearer: (token) => bearerOf(token, peer),
    async close() {
      peer.close();
      await server.stop(1_000);
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
