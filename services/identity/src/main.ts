import { openRevocations } from "@assistant/kit/caller/open-revocations.js";
import { startHousekeeping } from "@assistant/kit/database/housekeeping.js";
import { createPager } from "@assistant/kit/database/page.js";
import { openPostgres } from "@assistant/kit/database/postgres.js";
import { openKeyring } from "@assistant/kit/database/seal.js";
import { createWrite } from "@assistant/kit/database/write.js";
import { consume } from "@assistant/kit/events/inbox.js";
import { openBus } from "@assistant/kit/events/open-bus.js";
import { openNotices } from "@assistant/kit/events/open-notices.js";
import { startRelay } from "@assistant/kit/events/outbox.js";
import { createLog } from "@assistant/kit/process/log.js";
import { onStop, orExit } from "@assistant/kit/process/process.js";
import { watchReadiness } from "@assistant/kit/process/readiness.js";
import { dial, type Peer } from "@assistant/kit/wire/dial.js";
import { serve } from "@assistant/kit/wire/serve.js";
import { calls, serviceConfig } from "./config.js";
import { eventHandlers } from "./event-handlers.js";
import { startListener } from "./http/listener.js";
import { routers } from "./http/routers.js";
import { startLinkSweep } from "./links/link-sweep.js";
import { createPages } from "./pages/pages.js";
import { preparation } from "./preparation.js";
import { startResealing } from "./resealing.js";
import { startRevocationPush } from "./revocations.js";
import { openSaml } from "./saml/open-saml.js";
import { identityService } from "./service.js";
import { startSessionSweep } from "./session-sweep.js";
import { wrongKeyring } from "./signing-key.js";
import { signingKeys } from "./signing-keys.js";
import { useCases } from "./use-cases.js";

const name = "identity";
const DRAIN_MS = 15_000;

await orExit(async () => {
  const config = serviceConfig();
  const { BOOTSTRAP_TOKEN: bootstrapToken, PUBLIC_URL: issuer } = config;
  const audience = `${issuer}/api`;
  const firstOrg = { orgName: config.BOOTSTRAP_ORG_NAME, email: config.BOOTSTRAP_EMAIL };
  const clock = Date.now;
  const log = createLog(name, config.VERSION, config.LOG_LEVEL);
  const keyring = openKeyring(config.KEYRING);
  const db = openPostgres({ url: config.DATABASE_URL, poolMax: config.POOL_MAX, log });
  const channel = { name, natsUrl: config.NATS_URL, postgresUrl: config.BUS_DATABASE_URL, log };
  const bus = openBus(channel);
  const outbox = startRelay({ db, bus, service: name, log });
  const notices = openNotices(channel);
  const push = startRevocationPush({ db, notices, log });
  const relay = { wake: () => [outbox, push].forEach(({ wake }) => wake()) };
  const housekeeping = startHousekeeping({ db, log });
  const sweep = startSessionSweep({ db, keyring, clock, log, signingKeyDays: config.SIGNING_KEY_DAYS });
  const linkSweep = startLinkSweep({ db, log });
  const resealing = startResealing({ db, keyring, log });
  const inbox = consume({ db, bus, consumer: name, handlers: eventHandlers(clock), log });

  const catalog = dial({ from: name, to: "catalog", address: config.CATALOG_URL, log });
  const keys = signingKeys({ db, keyring, clock });
  const write = createWrite(db, { relay, keyring });
  const nouns = { db, write, relay, log, pager: createPager(keyring), useCases: useCases(catalog) };
  const samlOptions = { entityId: config.SAML_SP_ENTITY_ID, allowedNetworks: config.EGRESS_ALLOW_CIDRS };
  const saml = openSaml({ db, keyring, clock, relay, log, publicUrl: issuer, ...samlOptions });
  const parts = { ...nouns, keyring, clock, bootstrapToken, issuer, audience, saml: saml.tools };
  const revocationsOf = (identity: Peer) => openRevocations({ ...channel, identity });
  const { services, verifier, revocations } = identityService({ ...parts, signingKeys: keys, revocationsOf });
  const { allowedCallers } = calls;
  const server = await serve({ name, listen: config.LISTEN, services, verifier, allowedCallers, log });
  const pages = createPages({ publicUrl: issuer });
  const { HTTP_LISTEN: httpListen, TRUSTED_GATEWAYS: trustedProxies } = config;
  const face = {
    listen: httpListen,
    routers: routers({ ...parts, signingKeys: keys, pages }),
    pages,
    trustedProxies,
    log,
  };
  const listener = await startListener(face);
  const prepare = preparation({ db, signingKeys: keys, bootstrapToken, firstOrg, log });
  const check = async () => (await prepare()) && (await saml.prepare()) && revocations.isKnown();
  const isFinal = (error: unknown) => error === wrongKeyring;
  const readiness = watchReadiness({ check, isFinal, setReady: server.setReady, log });

  onStop(log, async () => {
    await readiness.stop();
    await Promise.all([server.stop(DRAIN_MS), listener.stop(DRAIN_MS)]);
    catalog.close();
    await sweep.stop();
    await linkSweep.stop();
    await resealing.stop();
    await saml.close();
    await inbox.stop();
    await housekeeping.stop();
    await outbox.stop();
    await push.stop();
    await revocations.close();
    await notices.close();
    await bus.close();
    await db.close();
  });
  await readiness.ended;
});
