import { openRevocations } from "@assistant/kit/caller/open-revocations.js";
import { createVerifier } from "@assistant/kit/caller/verifier.js";
import { createLog } from "@assistant/kit/process/log.js";
import { onStop, orExit } from "@assistant/kit/process/process.js";
import { platformRegistry } from "@assistant/kit/rules/descriptor.js";
import { dial } from "@assistant/kit/wire/dial.js";
import { createApp } from "./app.js";
import { gatewayConfig } from "./config.js";
import { createHealth } from "./health.js";
import { createRates } from "./rates.js";
import { pages } from "./routes/pages.js";
import { routes } from "./routes.js";
import { platformSchemas } from "./schemas.js";
import { listen } from "./server.js";
import { UPLOAD_LIMITS } from "./upload-limits.js";

const name = "gateway";
const DRAIN_MS = 20_000;

await orExit(async () => {
  const config = gatewayConfig();
  const { PUBLIC_URL: publicUrl, VERSION: version } = config;
  const log = createLog(name, version, config.LOG_LEVEL);
  const identity = dial({ from: name, to: "identity", address: config.IDENTITY_URL, log });
  const catalog = dial({ from: name, to: "catalog", address: config.CATALOG_URL, log });
  const contexts = dial({ from: name, to: "contexts", address: config.CONTEXTS_URL, log });
  const conversion = dial({ from: name, to: "conversion", address: config.CONVERSION_URL, log });
  const peers = [identity, catalog, contexts, conversion];
  const channel = { natsUrl: config.NATS_URL, postgresUrl: config.BUS_DATABASE_URL };
  const revocations = openRevocations({ name, identity, ...channel, log });
  const verifier = createVerifier({ identity, revocations, issuer: publicUrl, audience: `${publicUrl}/api` });
  const perMinute = {
    read: config.RATE_READ_PER_MINUTE,
    write: config.RATE_WRITE_PER_MINUTE,
    convert: config.RATE_CONVERT_PER_MINUTE,
    token: config.RATE_TOKEN_PER_MINUTE,
    login: config.RATE_LOGIN_PER_MINUTE,
    acs: config.RATE_ACS_PER_MINUTE,
    consume: config.RATE_CONSUME_PER_MINUTE,
  };
  const rates = createRates({ redisUrl: config.REDIS_URL, perMinute, log });
  const health = createHealth(peers, rates, revocations);
  const registry = platformRegistry();
  const schemas = platformSchemas();
  const { CORS_ORIGINS: corsOrigins, TRUSTED_PROXIES: trustedProxies, IDENTITY_HTTP_URL: pagesUrl } = config;
  const rows = config.PUBLIC_ALIASES === "on" ? routes : routes.filter(({ alias }) => !alias);
  const uploads = { ...UPLOAD_LIMITS, bytesMax: config.UPLOAD_MAX_BYTES };
  const parts = { routes: rows, uploads, registry, schemas, peers, verifier, rates, health, log, version };
  const app = createApp({ ...parts, pages, pagesUrl, publicUrl, corsOrigins, trustedProxies });
  const server = await listen(app, config.BIND, config.PORT);
  log.info({ bind: config.BIND, port: server.port }, "listening");

  onStop(log, async () => {
    health.drain();
    await server.stop(DRAIN_MS);
    rates.close();
    await revocations.close();
    for (const peer of peers) peer.close();
  });
});
