import { createVerifier } from "@assistant/kit/caller/verifier.js";
import { startHousekeeping } from "@assistant/kit/database/housekeeping.js";
import { createPager } from "@assistant/kit/database/page.js";
import { openPostgres } from "@assistant/kit/database/postgres.js";
import { openKeyring } from "@assistant/kit/database/seal.js";
import { createWrite } from "@assistant/kit/database/write.js";
import { openBus } from "@assistant/kit/events/open-bus.js";
import { startRelay } from "@assistant/kit/events/outbox.js";
import { createLog } from "@assistant/kit/process/log.js";
import { onStop, orExit } from "@assistant/kit/process/process.js";
import { watchReadiness } from "@assistant/kit/process/readiness.js";
import { serve } from "@assistant/kit/wire/serve.js";
import { calls, serviceConfig } from "./config.js";
import { preparation } from "./preparation.js";
import { identityService } from "./service.js";
import { startSessionSweep } from "./session-sweep.js";
import { signingKeys, wrongKeyring } from "./signing-keys.js";

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
  const bus = openBus({ name, natsUrl: config.NATS_URL, postgresUrl: config.BUS_DATABASE_URL, log });
  const relay = startRelay({ db, bus, service: name, log });
  const housekeeping = startHousekeeping({ db, log });
  const sweep = startSessionSweep({ db, log });

  const keys = signingKeys({ db, keyring, clock });
  const write = createWrite(db, { relay, keyring });
  const parts = { db, write, pager: createPager(keyring), keyring, clock, bootstrapToken, issuer, audience };
  const { services, peer } = identityService({ ...parts, signingKeys: keys });
  const verifier = createVerifier({ identity: peer, issuer, audience });
  const { allowedCallers } = calls;
  const server = await serve({ name, listen: config.LISTEN, services, verifier, allowedCallers, log });
  const check = preparation({ db, signingKeys: keys, bootstrapToken, firstOrg, log });
  const isFinal = (error: unknown) => error === wrongKeyring;
  const readiness = watchReadiness({ check, isFinal, setReady: server.setReady, log });

  onStop(log, async () => {
    await readiness.stop();
    await server.stop(DRAIN_MS);
    await sweep.stop();
    await housekeeping.stop();
    await relay.stop();
    await bus.close();
    await db.close();
  });
  await readiness.ended;
});
