import { openRevocations } from "@assistant/kit/caller/open-revocations.js";
import { createVerifier } from "@assistant/kit/caller/verifier.js";
import { startHousekeeping } from "@assistant/kit/database/housekeeping.js";
import { schemaReady } from "@assistant/kit/database/migrate.js";
import { createPager } from "@assistant/kit/database/page.js";
import { openPostgres } from "@assistant/kit/database/postgres.js";
import { openKeyring } from "@assistant/kit/database/seal.js";
import { createWrite } from "@assistant/kit/database/write.js";
import { consume } from "@assistant/kit/events/inbox.js";
import { openBus } from "@assistant/kit/events/open-bus.js";
import { startRelay } from "@assistant/kit/events/outbox.js";
import { createLog } from "@assistant/kit/process/log.js";
import { onStop, orExit } from "@assistant/kit/process/process.js";
import { watchReadiness } from "@assistant/kit/process/readiness.js";
import { dial } from "@assistant/kit/wire/dial.js";
import { serve } from "@assistant/kit/wire/serve.js";
import { calls, serviceConfig } from "./config.js";
import { knowledgeEvents } from "./knowledge/event-handlers.js";
import { catalogServices } from "./service.js";
import { migrations } from "./store/migrations/index.js";
import { startUseCasePurge } from "./use-case-purge.js";

const name = "catalog";
const DRAIN_MS = 15_000;

await orExit(async () => {
  const config = serviceConfig();
  const log = createLog(name, config.VERSION, config.LOG_LEVEL);
  const keyring = openKeyring(config.KEYRING);
  const db = openPostgres({ url: config.DATABASE_URL, poolMax: config.POOL_MAX, log });
  const channel = { natsUrl: config.NATS_URL, postgresUrl: config.BUS_DATABASE_URL };
  const bus = openBus({ name, ...channel, log });
  const relay = startRelay({ db, bus, service: name, log });
  const housekeeping = startHousekeeping({ db, log });
  const { USE_CASE_KEPT_DAYS: keptDays } = config;
  const purge = startUseCasePurge({ db, relay, clock: Date.now, keptDays, log });
  const inbox = consume({ db, bus, consumer: name, handlers: knowledgeEvents, log });

  const identity = dial({ from: name, to: "identity", address: config.IDENTITY_URL, log });
  const { PUBLIC_URL: issuer } = config;
  const revocations = openRevocations({ name, identity, ...channel, log });
  const verifier = createVerifier({ identity, revocations, issuer, audience: `${issuer}/api` });
  const write = createWrite(db, { relay, keyring });
  const services = catalogServices({ db, write, pager: createPager(keyring), identity });
  const { allowedCallers } = calls;
  const server = await serve({ name, listen: config.LISTEN, services, verifier, allowedCallers, log });
  const check = async () => revocations.isKnown() && (await schemaReady(db, migrations));
  const readiness = watchReadiness({ check, setReady: server.setReady, log });

  onStop(log, async () => {
    await readiness.stop();
    await server.stop(DRAIN_MS);
    await revocations.close();
    identity.close();
    await inbox.stop();
    await Promise.all([housekeeping.stop(), purge.stop()]);
    await relay.stop();
    await bus.close();
    await db.close();
  });
});
