import { openRevocations } from "@assistant/kit/caller/open-revocations.js";
import { createPager } from "@assistant/kit/database/page.js";
import { openPostgres } from "@assistant/kit/database/postgres.js";
import { openKeyring } from "@assistant/kit/database/seal.js";
import { createWrite } from "@assistant/kit/database/write.js";
import { openBus } from "@assistant/kit/events/open-bus.js";
import { openNotices } from "@assistant/kit/events/open-notices.js";
import { startRelay } from "@assistant/kit/events/outbox.js";
import { createLog } from "@assistant/kit/process/log.js";
import { onStop, orExit } from "@assistant/kit/process/process.js";
import { watchReadiness } from "@assistant/kit/process/readiness.js";
import { dial, type Peer } from "@assistant/kit/wire/dial.js";
import { serve } from "@assistant/kit/wire/serve.js";
import { startBackground } from "./background.js";
import { calls, type ServiceConfig, serviceConfig } from "./config.js";
import { startListener } from "./http/listener.js";
import { type RouterParts, routers } from "./http/routers.js";
import { createPages } from "./pages/pages.js";
import { preparation } from "./preparation.js";
import { startRevocationPush } from "./revocations.js";
import { openSaml } from "./saml/open-saml.js";
import { identityService } from "./service.js";
import { platformName } from "./settings/platform-name.js";
import { wrongKeyring } from "./signing-key.js";
import { signingKeys } from "./signing-keys.js";
import { useCases } from "./use-cases.js";

const name = "identity";
const DRAIN_MS = 15_000;

await orExit(async () => {
  const config = serviceConfig();
  const { BOOTSTRAP_TOKEN: bootstrapToken, PUBLIC_URL: issuer } = config;
  const audience = `${issuer}/api`;
  const clock = Date.now;
  const log = createLog(name, config.VERSION, config.LOG_LEVEL);
  const keyring = openKeyring(config.KEYRING);
  const db = openPostgres({ url: config.DATABASE_URL, poolMax: config.POOL_MAX, log });
  const channel = { name, natsUrl: config.NATS_URL, postgresUrl: config.BUS_DATABASE_URL, log };
  const bus = openBus(channel);
  const outbox = startRelay({ db, bus, service: name, log });
  const notices = openNotices(channel);
  const push = startRevocationPush({ db, notices, log });
  const relay = waking(outbox, push);
  const catalog = dial({ from: name, to: "catalog", address: config.CATALOG_URL, log });
  const { SIGNING_KEY_DAYS: signingKeyDays } = config;
  const background = startBackground({ name, db, bus, keyring, clock, signingKeyDays, log });

  const keys = signingKeys({ db, keyring, clock });
  const saml = openSaml({ db, keyring, clock, relay, log, publicUrl: issuer, ...samlOptions(config) });
  const write = createWrite(db, { relay, keyring });
  const nouns = { db, write, relay, log, pager: createPager(keyring), useCases: useCases(catalog) };
  const tokens = { keyring, clock, bootstrapToken, issuer, audience, signingKeys: keys };
  const revocationsOf = (identity: Peer) => openRevocations({ ...channel, identity });
  const parts = { ...nouns, ...tokens, saml: saml.tools, revocationsOf };
  const { services, verifier, revocations } = identityService(parts);
  const { allowedCallers } = calls;
  const server = await serve({ name, listen: config.LISTEN, services, verifier, allowedCallers, log });
  const listener = await startListener(browserFace(parts, config));
  const firstOrg = { orgName: config.BOOTSTRAP_ORG_NAME, email: config.BOOTSTRAP_EMAIL };
  const prepare = preparation({ db, signingKeys: keys, bootstrapToken, firstOrg, log });
  const check = async () => (await prepare()) && (await saml.prepare()) && revocations.isKnown();
  const isFinal = (error: unknown) => error === wrongKeyring;
  const readiness = watchReadiness({ check, isFinal, setReady: server.setReady, log });

  onStop(log, async () => {
    await readiness.stop();
    await Promise.all([server.stop(DRAIN_MS), listener.stop(DRAIN_MS)]);
    catalog.close();
    await Promise.all([background.stop(), saml.close()]);
    await outbox.stop();
    await push.stop();
    await revocations.close();
    await notices.close();
    await bus.close();
    await db.close();
  });
  await readiness.ended;
});

/** Wakes all of them. */
function waking(...sleepers: readonly { wake(): void }[]) {
  const wake = () => {
    for (const sleeper of sleepers) sleeper.wake();
  };
  return { wake };
}

function samlOptions({ SAML_SP_ENTITY_ID: entityId, EGRESS_ALLOW_CIDRS: allowedNetworks }: ServiceConfig) {
  return { entityId, allowedNetworks };
}

/** What browsers are shown, over HTTP. */
function browserFace(parts: Omit<RouterParts, "pages">, config: ServiceConfig) {
  const { HTTP_LISTEN: listen, TRUSTED_GATEWAYS: trustedProxies, PUBLIC_URL: publicUrl } = config;
  const pages = createPages({ publicUrl, platformName: platformName(parts) });
  return { listen, routers: routers({ ...parts, pages }), pages, trustedProxies, log: parts.log };
}
