import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sweepSessions } from "./session-sweep.js";
import { rootOf } from "./testing/people.js";
import { openPlatform, type Platform } from "./testing/platform.js";

let platform: Platform;

beforeAll(async () => {
  platform = await openPlatform();
});

afterAll(() => platform.close());

test("sessions are removed a day after their tokens ran out, not before", async () => {
  const root = await rootOf(platform);
  const expiresAtMs = Date.now() + 600_000;
  const sessions = () => platform.db.query("test_sessions", "select from sessions where principal_id = $1", [root.id]);
  await sweepSessions(platform.db, expiresAtMs + 86_000_000);
  expect(await sessions()).toHaveLength(1);
  await sweepSessions(platform.db, expiresAtMs + 86_401_000);
  expect(await sessions()).toHaveLength(0);
});
