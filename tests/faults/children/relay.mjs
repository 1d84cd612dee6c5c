// The sending half of a service, alone in a process: `node relay.mjs '{"databaseUrl":...}'`.
import { createLog } from "@assistant/kit/log.js";
import { startRelay } from "@assistant/kit/outbox.js";
import { openPostgres } from "@assistant/kit/postgres.js";
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
