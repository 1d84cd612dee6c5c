// The sending half of a service, alone in a process: `node relay.mjs '{"databaseUrl":...}'`.

import { openPostgres } from "@assistant/kit/database/postgres.js";
import { startRelay } from "@assistant/kit/events/outbox.js";
import { createLog } from "@assistant/kit/process/log.js";
import { openTestBus } from "./bus.mjs";
import { countdown, steppingBus, steppingDatabase } from "./steps.mjs";

const { databaseUrl, killAt = 0, forever = false, ...wiring } = JSON.parse(process.argv[2] ?? "{}");
const log = createLog("notes", "0", "error");
const step = countdown(killAt);
const db = openPostgres({ url: databaseUrl, poolMax: 2, log });
const bus = openTestBus(wiring, log);
const relay = startRelay({ db: steppingDatabase(db, step), bus: steppingBus(bus, step), service: "notes", log });
if (!forever) {
  await relay.stop();
  await bus.close();
  await db.close();
}
