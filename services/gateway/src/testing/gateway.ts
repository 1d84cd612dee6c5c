import { platformRegistry } from "@assistant/kit/descriptor.js";
import { dial } from "@assistant/kit/dial.js";
import { missing } from "@assistant/kit/fault.js";
import type { Handlers } from "@assistant/kit/rpc.js";
import { type Server, serve, served } from "@assistant/kit/serve.js";
import { createTestIdentity, quiet, type TestIdentity } from "@assistant/kit/testing.js";
import { ContextsServiceService } from "@assistant/proto/assistant/contexts/v1/service.js";
import { type AppOptions, createApp } from "../app.js";
import { createHealth } from "../health.js";
import { createRates } from "../rates.js";
import { contextsRoutes } from "../routes/contexts.js";
import { platformSchemas } from "../schemas.js";
import { type HttpServer, listen } from "../server.js";

type ContextsHandlers = Handlers<typeof ContextsServiceService>;

/** A gateway on a free port, before a contexts service whose answers a test decides. Everything between them is real. */
export interface TestGateway {
  readonly port: number;
  readonly identity: TestIdentity;
  readonly contexts: Server;
  readonly http: HttpServer;
  close(): Promise<void>;
}

export interface TestGatewayOptions
  extends Partial<Pick<AppOptions, "routes" | "corsOrigins" | "publicUrl" | "trustedProxies" | "log">> {
  readonly handlers?: Partial<ContextsHandlers>;
  readonly perMinute?: { readonly read: number; readonly write: number; readonly token: number };
}

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const identity = await createTestIdentity();
  const contexts = await serve({
    name: "contexts",
    listen: "127.0.0.1:0",
    services: [served(ContextsServiceService, { ...nothing(), ...options.handlers })],
    verifier: identity.verifier,
    allowedCallers: ["gateway"],
    log: quiet,
  });
  contexts.setReady(true);
  const peers = [dial({ from: "gateway", to: "contexts", address: `127.0.0.1:${contexts.port}` })];
  const rates = createRates({
    redisUrl: undefined,
    perMinute: options.perMinute ?? { read: 10_000, write: 10_000, token: 10_000 },
    log: quiet,
  });
  const app = createApp({
    routes: contextsRoutes,
    registry: platformRegistry(),
    schemas: platformSchemas(),
    peers,
    verifier: identity.verifier,
    rates,
    health: createHealth(peers, rates),
    publicUrl: "http://127.0.0.1:8080",
    corsOrigins: [],
    trustedProxies: [],
    version: "0",
    log: quiet,
    ...options,
  });
  const http = await listen(app, "127.0.0.1", 0);
  const close = async () => {
    await http.stop(1_000);
    for (const peer of peers) peer.close();
    await contexts.stop(1_000);
    await identity.close();
  };
  return { port: http.port, identity, contexts, http, close };
}

function nothing(): ContextsHandlers {
  const none = async () => {
    throw missing();
  };
  const entries = Object.keys(ContextsServiceService).map((name) => [name, none]);
  // Every rpc of the definition got a handler that fits all of them, since it answers none.
  return Object.fromEntries(entries) as ContextsHandlers;
}
