import { platformRegistry } from "@assistant/kit/rules/descriptor.js";
import { createTestIdentity, quiet, type TestIdentity } from "@assistant/kit/testing.js";
import { dial } from "@assistant/kit/wire/dial.js";
import { missing } from "@assistant/kit/wire/fault.js";
import type { Definition, Handlers } from "@assistant/kit/wire/rpc.js";
import { type Served, type Server, serve, served } from "@assistant/kit/wire/serve.js";
import { CatalogServiceService } from "@assistant/proto/assistant/catalog/v1/service.js";
import { ContextsServiceService } from "@assistant/proto/assistant/contexts/v1/service.js";
import { ConversionServiceService } from "@assistant/proto/assistant/conversion/v1/service.js";
import { IdentityServiceService } from "@assistant/proto/assistant/identity/v1/service.js";
import { SessionsServiceService } from "@assistant/proto/assistant/identity/v1/sessions_service.js";
import { SettingsServiceService } from "@assistant/proto/assistant/identity/v1/settings_service.js";
import { type AppOptions, createApp } from "../app.js";
import { createHealth } from "../health.js";
import { createRates, type RatesOptions } from "../rates.js";
import { pages } from "../routes/pages.js";
import { routes } from "../routes.js";
import { platformSchemas } from "../schemas.js";
import { type HttpServer, listen } from "../server.js";
import { UPLOAD_LIMITS, type UploadLimits } from "../upload-limits.js";

/** A gateway on a free port, before services whose answers a test decides. Everything between them is real. */
export interface TestGateway {
  readonly port: number;
  readonly identity: TestIdentity;
  /** Serves what the gateway forwards. */
  readonly services: Server;
  readonly http: HttpServer;
  close(): Promise<void>;
}

export interface TestGatewayOptions
  extends Partial<
    Pick<AppOptions, "routes" | "corsOrigins" | "publicUrl" | "trustedProxies" | "pagesUrl" | "pageSilenceMs" | "log">
  > {
  readonly contexts?: Partial<Handlers<typeof ContextsServiceService>>;
  readonly tokens?: Partial<Handlers<typeof IdentityServiceService>>;
  readonly sessions?: Partial<Handlers<typeof SessionsServiceService>>;
  readonly settings?: Partial<Handlers<typeof SettingsServiceService>>;
  readonly conversion?: Partial<Handlers<typeof ConversionServiceService>>;
  readonly uploadLimits?: Partial<UploadLimits>;
  readonly perMinute?: Partial<RatesOptions["perMinute"]>;
}

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const identity = await createTestIdentity();
  const services = await serve({
    name: "services",
    listen: "127.0.0.1:0",
    services: servicesOf(options),
    verifier: identity.verifier,
    allowedCallers: ["gateway"],
    log: quiet,
  });
  services.setReady(true);
  const address = `127.0.0.1:${services.port}`;
  const peers = ["identity", "catalog", "contexts", "conversion"].map((to) => dial({ from: "gateway", to, address }));
  const rates = createRates({
    redisUrl: undefined,
    perMinute: { ...ROOMY, ...options.perMinute },
    log: quiet,
  });
  const app = createApp({
    routes,
    pages,
    uploads: { ...UPLOAD_LIMITS, ...options.uploadLimits },
    registry: platformRegistry(),
    schemas: platformSchemas(),
    peers,
    verifier: identity.verifier,
    rates,
    health: createHealth(peers, rates, identity.revocations),
    publicUrl: "http://127.0.0.1:8080",
    corsOrigins: [],
    trustedProxies: [],
    // Nobody listens there: who wants pages says where they are.
    pagesUrl: "http://127.0.0.1:9",
    version: "0",
    log: quiet,
    ...options,
  });
  const http = await listen(app, "127.0.0.1", 0);
  const close = async () => {
    await http.stop(1_000);
    for (const peer of peers) peer.close();
    await services.stop(1_000);
    await identity.close();
  };
  return { port: http.port, identity, services, http, close };
}

const ROOMY = {
  read: 10_000,
  write: 10_000,
  convert: 10_000,
  token: 10_000,
  login: 10_000,
  acs: 10_000,
  consume: 10_000,
};

function servicesOf(options: TestGatewayOptions): readonly Served[] {
  return [
    served(CatalogServiceService, nothing(CatalogServiceService)),
    served(ContextsServiceService, { ...nothing(ContextsServiceService), ...options.contexts }),
    served(ConversionServiceService, { ...nothing(ConversionServiceService), ...options.conversion }),
    served(IdentityServiceService, { ...nothing(IdentityServiceService), ...options.tokens }, ["issueToken"]),
    served(SessionsServiceService, { ...nothing(SessionsServiceService), ...options.sessions }, ["revokeToken"]),
    served(SettingsServiceService, { ...nothing(SettingsServiceService), ...options.settings }, ["getFavicon"]),
  ];
}

function nothing<D extends Definition>(definition: D): Handlers<D> {
  const none = async () => {
    throw missing();
  };
  const noneOfMany = (): AsyncIterable<never> => ({ [Symbol.asyncIterator]: () => ({ next: none }) });
  const entries = Object.entries<Definition[string]>(definition).map(([name, { requestStream }]) => [
    name,
    requestStream ? noneOfMany : none,
  ]);
  const handlers: unknown = Object.fromEntries(entries);
  // Every rpc of the definition has got a handler that fits all of them, since it answers none.
  return handlers as Handlers<D>;
}
