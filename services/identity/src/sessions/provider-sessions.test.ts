import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { hire, refusal, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { openSession, refreshed, successorOf } from "../testing/sessions.js";

let platform: Platform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());

const CONNECTION = { id: "saml_01jd3v5q8ye9r9t6w0x2z4b6d8", nameId: "ada", sessionIndex: undefined };

async function makePlatformAdmin(userId: string): Promise<void> {
  await platform.db.query("test_rise", "update users set platform_admin = true where id = $1", [userId]);
}

test("a session of an identity provider ends where its user became a platform admin meanwhile", async () => {
  const person = await hire(platform, await rootOf(platform), "editor");
  const session = await openSession(platform, person, { connection: CONNECTION });
  const next = await successorOf(platform, session.refreshToken);
  await makePlatformAdmin(person.id);
  expect(await refusal(refreshed(platform, next))).toEqual({ kind: "refused", at: [": invalid_grant"] });
  const [row] = await platform.db.query(
    "test_ended",
    "select ended_at is not null as ended from sessions where id = $1",
    [session.sessionId],
  );
  expect(row).toEqual({ ended: true });
});

test("any other session of that user may then do what a platform admin may", async () => {
  const person = await hire(platform, await rootOf(platform), "editor");
  const session = await openSession(platform, person);
  await makePlatformAdmin(person.id);
  expect((await refreshed(platform, session.refreshToken)).scope).toBe("editor platform_admin");
});
