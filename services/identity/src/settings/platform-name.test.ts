import { openPostgres } from "@assistant/kit/database/postgres.js";
import { until } from "@assistant/kit/testing/until.js";
import { createTestDatabase, quiet } from "@assistant/kit/testing.js";
import { expect, test } from "@jest/globals";
import { migrations } from "../store/migrations/index.js";
import { platformName } from "./platform-name.js";

test("the pages' name of the platform follows the settings within ten seconds, and outlasts the database", async () => {
  const database = await createTestDatabase(migrations);
  const db = openPostgres({ url: database.url, poolMax: 1, log: quiet });
  let nowMs = 1_000_000;
  try {
    await db.query("t_name", "update platform_settings set name = 'Ada'", []);
    const name = platformName({ db, log: quiet, clock: () => nowMs });
    expect(name()).toBe("Assistant Platform");
    await until(() => name() === "Ada");
    await db.query("t_rename", "update platform_settings set name = 'Grace'", []);
    nowMs += 9_999;
    expect(name()).toBe("Ada");
    nowMs += 1;
    await until(() => name() === "Grace");
    await db.close();
    nowMs += 10_000;
    expect(name()).toBe("Grace");
  } finally {
    await db.close();
    await database.close();
  }
});
