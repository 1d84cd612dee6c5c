import { migrate } from "@assistant/kit/database/migrate.js";
import { openPostgres, type Postgres } from "@assistant/kit/database/postgres.js";
import { createLog } from "@assistant/kit/process/log.js";
import { type Readiness, watchReadiness } from "@assistant/kit/process/readiness.js";
import { createTestDatabase, quiet, type TestDatabase } from "@assistant/kit/testing.js";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { preparation } from "./preparation.js";
import { wrongKeyring } from "./signing-key.js";
import { signingKeys } from "./signing-keys.js";
import { hasOrgs } from "./store/first-org.js";
import { migrations } from "./store/migrations/index.js";
import { newKeyring } from "./testing/platform.js";

let database: TestDatabase;
let db: Postgres;
const keyring = newKeyring();
const firstOrg = { orgName: "First", email: "admin@first.example" };

beforeAll(async () => {
  database = await createTestDatabase({});
  db = openPostgres({ url: database.url, poolMax: 2, log: quiet });
});

afterAll(async () => {
  await db.close();
  await database.close();
});

function prepared(bootstrapToken: string | undefined, ring = keyring, log = quiet) {
  return preparation({
    db,
    signingKeys: signingKeys({ db, keyring: ring, clock: Date.now }),
    bootstrapToken,
    firstOrg,
    log,
  });
}

test("a replica that is there before its schema is not ready, and fails at nothing", async () => {
  expect(await prepared("token")()).toBe(false);
  await migrate({ url: database.url, name: "identity", migrations, log: quiet });
});

test("without a bootstrap token no org is made, and the log says so", async () => {
  const lines: string[] = [];
  const log = createLog("identity", "0", "warn", { write: (line: string) => lines.push(line) });
  expect(await prepared(undefined, keyring, log)()).toBe(true);
  expect(await hasOrgs(db)).toBe(false);
  expect(lines.join()).toContain("BOOTSTRAP_TOKEN is not set");
});

test("with one the first org is made, once", async () => {
  expect(await prepared("token")()).toBe(true);
  expect(await prepared("token")()).toBe(true);
  expect(await db.query("test_orgs", "select name from orgs", [])).toEqual([{ name: "First" }]);
});

test("another keyring ends the watch instead of leaving the replica unready for ever", async () => {
  const said: boolean[] = [];
  const setReady = (ready: boolean) => said.push(ready);
  const isFinal = (error: unknown) => error === wrongKeyring;
  const { ended } = watchReadiness({ check: prepared("token", newKeyring()), isFinal, setReady, log: quiet });
  await expect(ended).rejects.toBe(wrongKeyring);
  expect(said).toEqual([]);
});

test("a failure that passes leaves the replica unready and goes on", async () => {
  const states: boolean[] = [];
  let rounds = 0;
  const check = async () => {
    rounds += 1;
    if (rounds === 1) throw new Error("no database");
    return true;
  };
  const readiness = await new Promise<Readiness>((resolve) => {
    const watch: Readiness = watchReadiness({
      check,
      isFinal: () => false,
      setReady: (state) => {
        states.push(state);
        if (state) resolve(watch);
      },
      log: quiet,
    });
  });
  await readiness.stop();
  expect(states).toEqual([false, true]);
});
