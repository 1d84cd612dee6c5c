import { join } from "node:path";
import { openRevocations } from "@assistant/kit/caller/open-revocations.js";
import { createVerifier } from "@assistant/kit/caller/verifier.js";
import { createLog } from "@assistant/kit/process/log.js";
import { onStop, orExit } from "@assistant/kit/process/process.js";
import { watchReadiness } from "@assistant/kit/process/readiness.js";
import { dial } from "@assistant/kit/wire/dial.js";
import { serve, served } from "@assistant/kit/wire/serve.js";
import { ConversionServiceService } from "@assistant/proto/assistant/conversion/v1/service.js";
import { calls, serviceConfig } from "./config.js";
import { openEngines } from "./engines.js";
import { openResultCache } from "./result-cache.js";
import { createResults } from "./results.js";
import { conversionService } from "./service.js";
import { openWorkFolder } from "./work-folder.js";

const name = "conversion";
// Less than a process has to stop, for the engines stop after the calls.
const DRAIN_MS = 20_000;

await orExit(async () => {
  const config = serviceConfig();
  const log = createLog(name, config.VERSION, config.LOG_LEVEL);
  const work = await openWorkFolder(config.WORK_FOLDER, log);
  const cache = await openResultCache({
    folder: config.CACHE_FOLDER ?? join(work.path, "cache"),
    maxBytes: config.CACHE_MAX_BYTES,
    maxAgeMs: config.CACHE_MAX_AGE,
    log,
  });
  const { engines, close: closeEngines } = openEngines({
    folder: work.path,
    gotenbergUrl: config.GOTENBERG_URL,
    officePath: config.OFFICE_PATH,
    officeSlots: config.OFFICE_SLOTS,
    officeStateFile: config.OFFICE_STATE_FILE,
    jobTimeoutMs: config.JOB_TIMEOUT,
    log,
  });

  const identity = dial({ from: name, to: "identity", address: config.IDENTITY_URL, log });
  const channel = { natsUrl: config.NATS_URL, postgresUrl: config.BUS_DATABASE_URL };
  const { PUBLIC_URL: issuer, UPLOAD_MAX_BYTES: uploadMaxBytes } = config;
  const revocations = openRevocations({ name, identity, ...channel, log });
  const verifier = createVerifier({ identity, revocations, issuer, audience: `${issuer}/api` });
  const results = createResults({ engines, cache, work, log });
  const services = [served(ConversionServiceService, conversionService({ work, results, engines, uploadMaxBytes }))];
  const { allowedCallers } = calls;
  const server = await serve({ name, listen: config.LISTEN, services, verifier, allowedCallers, log });
  // Without an office it is ready too: it converts less, and says what.
  const check = async () => revocations.isKnown();
  const readiness = watchReadiness({ check, setReady: server.setReady, log });

  onStop(log, async () => {
    await readiness.stop();
    await server.stop(DRAIN_MS);
    await revocations.close();
    identity.close();
    await closeEngines();
    cache.close();
    await work.close();
  });
});
