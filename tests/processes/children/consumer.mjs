// The receiving half of a service, alone in a process: writes a note for each event, until there are as many as expected.
import { setTimeout as delay } from "node:timers/promises";
import { openPostgres } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { consume } from "@assistant/kit/events/inbox.js";
import { newId } from "@assistant/kit/process/id.js";
import { createLog } from "@assistant/kit/process/log.js";
import { openTestBus } from "./bus.mjs";
import { countdown, steppingBus, steppingDatabase } from "./steps.mjs";

const inserting = changing({
  name: "insert_effect",
  effect: "insert into notes (id, org_id, text) values ($1, $2, $3) returning id, org_id, version",
  event: { type: "notes.note.created", columns: ["id"] },
});

const { databaseUrl, killAt = 0, expected = Number.POSITIVE_INFINITY, ...wiring } = JSON.parse(process.argv[2] ?? "{}");
const log = createLog("reader", "0", "error");
const step = countdown(killAt);
const db = openPostgres({ url: databaseUrl, poolMax: 4, log });
const bus = openTestBus(wiring, log);
const handlers = {
  /** @type {import("@assistant/kit/events/inbox.js").EventHandler} */
  async "notes.note.created"(event, tx) {
    await tx.change(inserting, [newId("note"), "org_1", event.id]);
  },
};
const consumption = consume({
  db: steppingDatabase(db, step),
  bus: steppingBus(bus, step),
  consumer: "reader",
  handlers,
  log,
});
const count = async () => (await db.query("count", "select from notes", []).catch(() => [])).length;
while ((await count()) < expected) {
  await delay(20);
}
await consumption.stop();
await bus.close();
await db.close();
