import { openPostgres, type Postgres } from "@assistant/kit/database/postgres.js";
import { createTestDatabase, quiet, type TestDatabase } from "@assistant/kit/testing.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { bootstrap } from "./bootstrap.js";
import { wrongKeyring } from "./signing-key.js";
import { signingKeys } from "./signing-keys.js";
import { migrations } from "./store/migrations/index.js";
import { newKeyring, ORIGIN } from "./testing/platform.js";

let database: TestDatabase;
let replicas: Postgres[];

beforeAll(async () => {
  database = await createTestDatabase(migrations);
  replicas = [1, 2, 3].map(() => openPostgres({ url: database.url, poolMax: 2, log: quiet }));
});

afterAll(async () => {
  await Promise.all(replicas.map((db) => db.close()));
  await database.close();
});

describe("three replicas that start at once", () => {
  test("make one org with one platform admin, and one event for each", async () => {
    const first = { orgName: "First", email: "Admin@First.example" };
    const made = await Promise.all(replicas.map((db) => bootstrap(db, ORIGIN, first)));
    expect(made.filter(Boolean)).toHaveLength(1);
    const [db] = replicas;
    const people = await db?.query(
      "test_people",
      `select orgs.name as org, email, users.email_key, platform_admin, role
       from orgs left join users on users.org_id = orgs.id left join memberships on user_id = users.id`,
      [],
    );
    expect(people).toEqual([
      {
        org: "First",
        email: "Admin@First.example",
        email_key: "admin@first.example",
        platform_admin: true,
        role: "admin",
      },
    ]);
    const events = await db?.query("test_types", "select type from outbox order by pos", []);
    expect(events).toEqual([
      { type: "identity.org.created" },
      { type: "identity.user.created" },
      { type: "identity.org_member.created" },
    ]);
  });

  test("make one signing key and publish the same", async () => {
    const keyring = newKeyring();
    const keys = replicas.map((db) => signingKeys({ db, keyring, clock: Date.now }));
    await Promise.all(keys.map((key) => key.prepare(ORIGIN)));
    const published = await Promise.all(keys.map((key) => key.published()));
    expect(published[0]).toHaveLength(1);
    expect(published).toEqual([published[0], published[0], published[0]]);
  });

  test("do not start with a keyring that does not open the signing key", async () => {
    const [db] = replicas;
    if (db === undefined) throw new Error("there is no replica");
    const prepared = signingKeys({ db, keyring: newKeyring(), clock: Date.now }).prepare(ORIGIN);
    await expect(prepared).rejects.toBe(wrongKeyring);
  });
});
