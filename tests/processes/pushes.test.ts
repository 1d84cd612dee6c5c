import { migrations } from "@assistant/identity/store/migrations/index.js";
import { readRevocations } from "@assistant/kit/caller/revocation-notice.js";
import { openPostgres, type Postgres } from "@assistant/kit/database/postgres.js";
import type { Notices } from "@assistant/kit/events/notices.js";
import { openNotices } from "@assistant/kit/events/open-notices.js";
import { newId } from "@assistant/kit/process/id.js";
import { createTestNats, natsMissing } from "@assistant/kit/testing/nats.js";
import { until } from "@assistant/kit/testing/until.js";
import { createTestDatabase, quiet, type TestDatabase } from "@assistant/kit/testing.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startPart } from "./part.js";

// The part has fewer steps than this; reaching it means that it never ends by itself.
const STEPS_MAX = 100;

const channels = [
  { name: "over the built-in bus", reason: undefined, start: async () => ({ close: async () => undefined }) },
  { name: "over NATS", reason: natsMissing(), start: createTestNats },
];

for (const { name, reason, start } of channels) {
  const suite = reason === undefined ? describe : describe.skip;

  suite(reason === undefined ? name : `${name} (skipped: ${reason})`, () => {
    let database: TestDatabase;
    let db: Postgres;
    let nats: { url?: string; close(): Promise<void> };
    let notices: Notices;
    const heard = new Set<string>();

    beforeAll(async () => {
      [database, nats] = await Promise.all([createTestDatabase(migrations), start()]);
      db = openPostgres({ url: database.url, poolMax: 2, log: quiet });
      notices = openNotices({ name: "witness", natsUrl: nats.url, postgresUrl: database.url, log: quiet });
      const hear = (text: string) => {
        for (const { id } of readRevocations(text).sessions) heard.add(id);
      };
      await notices.listen("identity.revoked", { hear, opened: () => undefined, alive: () => undefined });
    });
    afterAll(async () => {
      await Promise.all([notices.close(), db.close(), nats.close()]);
      await database.close();
    });

    test("identity killed between any two steps of a revocation: what is committed is told, by whoever comes next", async () => {
      const words = { databaseUrl: database.url, natsUrl: nats.url };
      let killAt = 0;
      let outcome = "killed";
      while (outcome === "killed" && killAt < STEPS_MAX) {
        killAt += 1;
        outcome = await startPart("push", { ...words, killAt, sessionId: newId("ses") }).ended;
      }
      expect(outcome).toBe("done");
      expect(killAt).toBeGreaterThan(8);
      expect(await startPart("push", words).ended).toBe("done");

      const rows = await db.query<{ subject: string; pushed: boolean }>(
        "listed",
        "select subject, pushed_at is not null as pushed from revocations",
        [],
      );
      expect(rows.length).toBeGreaterThan(5);
      expect(rows.filter(({ pushed }) => !pushed)).toEqual([]);
      await until(() => rows.every(({ subject }) => heard.has(subject)));
    }, 120_000);
  });
}
