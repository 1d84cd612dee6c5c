// Identity's part in a revocation, alone in a process: ends a session, and tells everybody.

import { pushRevocations } from "@assistant/identity/revocations.js";
import { listingSessions } from "@assistant/identity/store/revocations.js";
import { nobody } from "@assistant/kit/database/origin.js";
import { openPostgres } from "@assistant/kit/database/postgres.js";
import { openNotices } from "@assistant/kit/events/open-notices.js";
import { createLog } from "@assistant/kit/process/log.js";
import { countdown, steppingDatabase, steppingNotices } from "./steps.mjs";

const { databaseUrl, natsUrl, killAt = 0, sessionId } = JSON.parse(process.argv[2] ?? "{}");
const log = createLog("identity", "0", "error");
const step = countdown(killAt);
const database = openPostgres({ url: databaseUrl, poolMax: 2, log });
const db = steppingDatabase(database, step);
const notices = openNotices({ name: "identity", natsUrl, postgresUrl: databaseUrl, log });
if (sessionId !== undefined) {
  const text = `with ${listingSessions("select $1::text as id")} done as (select 1) select from done`;
  await db.transaction(nobody, (tx) => tx.query("end_session", text, [sessionId]));
}
await pushRevocations(db, steppingNotices(notices, step));
await notices.close();
await database.close();
