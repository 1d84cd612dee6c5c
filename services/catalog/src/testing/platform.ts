import { randomBytes } from "node:crypto";
import { anonymous, type Caller } from "@assistant/kit/caller/caller.js";
import { createPager } from "@assistant/kit/database/page.js";
import { openPostgres, type Postgres } from "@assistant/kit/database/postgres.js";
import { openKeyring } from "@assistant/kit/database/seal.js";
import { createWrite } from "@assistant/kit/database/write.js";
import { callAs, callerOf, createTestDatabase, createTestIdentity, quiet } from "@assistant/kit/testing.js";
import type { IfMatch, Reply } from "@assistant/kit/wire/call.js";
import { dial, type Peer } from "@assistant/kit/wire/dial.js";
import type { Rpc } from "@assistant/kit/wire/rpc.js";
import { serve } from "@assistant/kit/wire/serve.js";
import { calls } from "../config.js";
import { catalogServices } from "../service.js";
import { migrations } from "../store/migrations/index.js";
import { servePrincipals } from "./principals.js";

/** The catalog service as others meet it: over gRPC, with a database of its own. */
export interface Platform {
  db: Postgres;
  /** Somebody with a token; by default a member of a new org. */
  person(about?: Partial<Caller>): Person;
  /** Somebody without a token. */
  stranger(): Person;
  /** Lets identity know of a user, group or service account of an org, at a version of it. */
  addPrincipal(id: string, orgId: string, version?: number): void;
  close(): Promise<void>;
}

export interface Person {
  caller: Caller;
  ask<Q, R>(rpc: Rpc<Q, R>, request: Q, beside?: Beside): Promise<R>;
  /** As `ask`, with what travels beside the answer. */
  exchange<Q, R>(rpc: Rpc<Q, R>, request: Q, beside?: Beside): Promise<{ answer: R; reply: Reply }>;
}

export interface Beside {
  ifMatch?: IfMatch;
  idempotencyKey?: string;
}

export async function openPlatform(): Promise<Platform> {
  const database = await createTestDatabase(migrations);
  const db = openPostgres({ url: database.url, poolMax: 10, log: quiet });
  const identity = await createTestIdentity();
  const keyring = openKeyring(JSON.stringify({ active: "k1", keys: { k1: randomBytes(32).toString("base64") } }));
  const write = createWrite(db, { relay: { wake: () => undefined }, keyring });
  const principals = await servePrincipals(identity.verifier);
  const address = `127.0.0.1:${principals.port}`;
  const toPrincipals = dial({ from: "catalog", to: "identity", address, log: quiet });
  const server = await serve({
    name: "catalog",
    listen: "127.0.0.1:0",
    services: catalogServices({ db, write, pager: createPager(keyring), identity: toPrincipals }),
    verifier: identity.verifier,
    allowedCallers: calls.allowedCallers,
    log: quiet,
  });
  const peer = dial({ from: "gateway", to: "catalog", address: `127.0.0.1:${server.port}`, log: quiet });
  return {
    db,
    person(about = {}) {
      const caller = callerOf(about);
      principals.add(caller.principalId, caller.orgId);
      return personOf(caller, identity.token(caller), peer);
    },
    stranger: () => personOf(anonymous, Promise.resolve(""), peer),
    addPrincipal: principals.add,
    async close() {
      peer.close();
      toPrincipals.close();
      await Promise.all([server.stop(1_000), principals.stop(), identity.close()]);
      await db.close();
      await database.close();
    },
  };
}

function personOf(caller: Caller, token: Promise<string>, peer: Peer): Person {
  const exchange = async <Q, R>(rpc: Rpc<Q, R>, request: Q, beside: Beside = {}) => {
    const call = callAs({ ...caller, token: await token }, { rpc: rpc.path, ...beside });
    const answer = await peer.call(rpc, request, call);
    return { answer, reply: call.reply };
  };
  return { caller, exchange, ask: async (rpc, request, beside) => (await exchange(rpc, request, beside)).answer };
}
