import { randomBytes } from "node:crypto";
import { anonymous, type Caller } from "@assistant/kit/caller/caller.js";
import type { Verifier } from "@assistant/kit/caller/verifier.js";
import { createPager } from "@assistant/kit/database/page.js";
import { openPostgres, type Postgres } from "@assistant/kit/database/postgres.js";
import { openKeyring } from "@assistant/kit/database/seal.js";
import { createWrite } from "@assistant/kit/database/write.js";
import { callAs, callerOf, createTestDatabase, createTestIdentity, quiet } from "@assistant/kit/testing.js";
import type { IfMatch, Reply } from "@assistant/kit/wire/call.js";
import { dial, type Peer } from "@assistant/kit/wire/dial.js";
import { missing } from "@assistant/kit/wire/fault.js";
import type { Handlers, Rpc } from "@assistant/kit/wire/rpc.js";
import { type Server, serve, served } from "@assistant/kit/wire/serve.js";
import { CatalogServiceService } from "@assistant/proto/assistant/catalog/v1/service.js";
import { ContextsServiceService } from "@assistant/proto/assistant/contexts/v1/service.js";
import { IdentityServiceService } from "@assistant/proto/assistant/identity/v1/service.js";
import { contextsService } from "../service.js";
import { migrations } from "../store/migrations/index.js";

/** The contexts service as others meet it: over gRPC, with a database of its own. */
export interface Platform {
  db: Postgres;
  /** Somebody with a token; by default a member of a new org. */
  person(about?: Partial<Caller>): Person;
  /** Somebody without a token. */
  stranger(): Person;
  /** Lets identity know of a group. */
  addGroup(groupId: string, orgId: string): void;
  /** Lets catalog know of a use case as it is at a version; version 0: of none. */
  setUseCase(useCaseId: string, orgId: string, version: number): void;
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
  const { verifier } = identity;
  const groups = new Map<string, string>();
  const useCases = new Map<string, UseCaseAt>();
  const useCasesServer = await serveUseCases(useCases, verifier);
  const catalog = dial({ from: "contexts", to: "catalog", address: `127.0.0.1:${useCasesServer.port}`, log: quiet });
  const groupsServer = await serveGroups(groups, verifier);
  const toGroups = dial({ from: "contexts", to: "identity", address: `127.0.0.1:${groupsServer.port}`, log: quiet });
  const keyring = openKeyring(JSON.stringify({ active: "k1", keys: { k1: randomBytes(32).toString("base64") } }));
  const write = createWrite(db, { relay: { wake: () => undefined }, keyring });
  const service = contextsService({ db, write, pager: createPager(keyring), owners: { identity: toGroups, catalog } });
  const server = await serve({
    name: "contexts",
    listen: "127.0.0.1:0",
    services: [served(ContextsServiceService, service)],
    verifier,
    allowedCallers: ["gateway"],
    log: quiet,
  });
  const peer = dial({ from: "gateway", to: "contexts", address: `127.0.0.1:${server.port}`, log: quiet });
  return {
    db,
    person(about = {}) {
      const caller = callerOf(about);
      return personOf(caller, identity.token(caller), peer);
    },
    stranger: () => personOf(anonymous, Promise.resolve(""), peer),
    addGroup: (groupId, orgId) => void groups.set(groupId, orgId),
    setUseCase: (useCaseId, orgId, version) => void useCases.set(useCaseId, { orgId, version }),
    async close() {
      peer.close();
      toGroups.close();
      catalog.close();
      await Promise.all([server.stop(1_000), groupsServer.stop(1_000), useCasesServer.stop(1_000), identity.close()]);
      await db.close();
      await database.close();
    },
  };
}

/** The part of identity that contexts asks, with the groups of each org. */
function serveGroups(groups: ReadonlyMap<string, string>, verifier: Verifier): Promise<Server> {
  const handlers: Handlers<Pick<typeof IdentityServiceService, "getGroup">> = {
    async getGroup({ group_id: id = "" }, call) {
      if (groups.get(id) !== call.caller.orgId) throw missing();
      return { group: { id, name: "Group" } };
    },
  };
  const services = [served({ getGroup: IdentityServiceService.getGroup }, handlers)];
  return serve({
    name: "identity",
    listen: "127.0.0.1:0",
    services,
    verifier,
    allowedCallers: ["contexts"],
    log: quiet,
  });
}

interface UseCaseAt {
  orgId: string;
  version: number;
}

/** The part of catalog that contexts asks. */
function serveUseCases(useCases: ReadonlyMap<string, UseCaseAt>, verifier: Verifier): Promise<Server> {
  const { getUseCase } = CatalogServiceService;
  const handlers: Handlers<Pick<typeof CatalogServiceService, "getUseCase">> = {
    async getUseCase({ use_case_id: id = "" }, call) {
      const known = useCases.get(id);
      if (known === undefined || known.version === 0 || known.orgId !== call.caller.orgId) throw missing();
      call.reply.version = known.version;
      const nothing = { description: {}, sync_connectors: [], credential_ids: [] };
      return { use_case: { id, label: { en: "Use case" }, ...nothing, sync_connectors_enabled_user_credentials: [] } };
    },
  };
  const services = [served({ getUseCase }, handlers)];
  return serve({
    name: "catalog",
    listen: "127.0.0.1:0",
    services,
    verifier,
    allowedCallers: ["contexts"],
    log: quiet,
  });
}

function personOf(caller: Caller, token: Promise<string>, peer: Peer): Person {
  const exchange = async <Q, R>(rpc: Rpc<Q, R>, request: Q, beside: Beside = {}) => {
    const call = callAs({ ...caller, token: await token }, { rpc: rpc.path, ...beside });
    const answer = await peer.call(rpc, request, call);
    return { answer, reply: call.reply };
  };
  return { caller, exchange, ask: async (rpc, request, beside) => (await exchange(rpc, request, beside)).answer };
}
