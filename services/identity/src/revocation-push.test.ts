import { readRevocations } from "@assistant/kit/caller/revocation-notice.js";
import { loadRevocations } from "@assistant/kit/caller/revocation-pages.js";
import { openPostgres, type Postgres } from "@assistant/kit/database/postgres.js";
import type { Notices } from "@assistant/kit/events/notices.js";
import { openNotices } from "@assistant/kit/events/open-notices.js";
import { newId } from "@assistant/kit/process/id.js";
import { faultOf } from "@assistant/kit/testing/faults.js";
import { until } from "@assistant/kit/testing/until.js";
import { createTestDatabase, quiet, type TestDatabase } from "@assistant/kit/testing.js";
import { unavailable } from "@assistant/kit/wire/fault.js";
import type { Revocations } from "@assistant/proto/assistant/common/v1/callers.js";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { callers } from "./callers.js";
import { ownPeer } from "./own-peer.js";
import { pushRevocations, startRevocationPush, sweepRevocations } from "./revocations.js";
import { signingKeys } from "./signing-keys.js";
import { migrations } from "./store/migrations/index.js";
import { listingPrincipals, listingSessions } from "./store/revocations.js";
import { newKeyring } from "./testing/platform.js";

let database: TestDatabase;
let db: Postgres;
let notices: Notices;
let heard: string[];

beforeAll(async () => {
  database = await createTestDatabase(migrations);
  db = openPostgres({ url: database.url, poolMax: 10, log: quiet });
});

beforeEach(async () => {
  await db.query("test_clear", "delete from revocations", []);
  heard = [];
  notices = openNotices({ name: "identity", postgresUrl: database.url, log: quiet });
  const hear = (text: string) => {
    const { sessions, principals } = readRevocations(text);
    heard.push(...[...sessions, ...principals].map(({ id }) => id));
  };
  await notices.listen("identity.revoked", { hear, opened: () => undefined, alive: () => undefined });
});

afterEach(() => notices.close());

afterAll(async () => {
  await db.close();
  await database.close();
});

const revoke = (listing: string, values: readonly unknown[]) =>
  db.query(`test_${values.length}`, `with ${listing} done as (select 1) select from done`, values);
const endSession = (id: string) => revoke(listingSessions("select $1::text as id"), [id]);
const raise = (id: string, epoch: number) =>
  revoke(listingPrincipals("select $1::text as id, $2::integer as epoch"), [id, epoch]);
const unpushed = async () =>
  (await db.query<{ subject: string }>("test_unpushed", "select subject from revocations where pushed_at is null", []))
    .map(({ subject }) => subject)
    .sort();

test("what a process that died did not push is pushed by another", async () => {
  const ids = [newId("ses"), newId("ses")];
  for (const id of ids) await endSession(id);
  const push = startRevocationPush({ db, notices, log: quiet });
  await until(() => heard.length === 2);
  expect([...heard].sort()).toEqual([...ids].sort());
  await until(async () => (await unpushed()).length === 0);
  await push.stop();
});

test("what is committed while nobody is woken is pushed within a second all the same", async () => {
  const push = startRevocationPush({ db, notices, log: quiet });
  const id = newId("ses");
  await endSession(id);
  await until(() => heard.includes(id), 1_000);
  await push.stop();
});

test("what could not be told stays to be told, and is once it can be", async () => {
  const id = newId("ses");
  await endSession(id);
  let isAway = true;
  const tell: Notices["tell"] = async (...words) => {
    if (isAway) throw unavailable("away");
    await notices.tell(...words);
  };
  expect(await faultOf(pushRevocations(db, { ...notices, tell }))).toBe("unavailable");
  expect(await unpushed()).toEqual([id]);
  const push = startRevocationPush({ db, notices: { ...notices, tell }, log: quiet });
  isAway = false;
  await until(() => heard.includes(id));
  await push.stop();
});

test("what rises again while it is being told is told again", async () => {
  const [principal, other] = [newId("usr"), newId("usr")];
  await raise(principal, 2);
  await raise(other, 2);
  const tell: Notices["tell"] = async (...words) => {
    await notices.tell(...words);
    await raise(principal, 3);
  };
  await pushRevocations(db, { ...notices, tell });
  expect(await unpushed()).toEqual([principal]);
  await pushRevocations(db, notices);
  expect(await unpushed()).toEqual([]);
});

test("several replicas may push at once: all is told, and none of them fails", async () => {
  const ids = Array.from({ length: 500 }, () => newId("ses"));
  await db.query("test_many", `with ${listingSessions("select unnest($1::text[]) as id")} done as (select 1) select`, [
    ids,
  ]);
  await Promise.all(Array.from({ length: 5 }, () => pushRevocations(db, notices)));
  await until(() => new Set(heard).size === ids.length);
  expect(await unpushed()).toEqual([]);
});

test("an epoch that is listed never falls, whoever comes last", async () => {
  const id = newId("usr");
  await raise(id, 5);
  await raise(id, 3);
  expect(await all()).toEqual([{ id, min_epoch: 5, expires_at: expect.any(Date) }]);
});

test("all that matters is listed, over any number of pages, for eleven minutes", async () => {
  await db.query(
    "test_fill",
    `insert into revocations (subject, kind, expires_at)
    select 'ses_' || lpad(n::text, 26, '0'), 'sid', now() + interval '1 minute' from generate_series(1, 20001) as n`,
    [],
  );
  const id = newId("usr");
  await raise(id, 2);
  const listed = await all();
  expect(new Set(listed.map((entry) => entry.id)).size).toBe(20_002);
  const expiresAtMs = listed.find((entry) => entry.id === id)?.expires_at?.getTime() ?? 0;
  expect(Math.abs(expiresAtMs - Date.now() - 660_000)).toBeLessThan(10_000);
});

test("what has expired is neither listed nor told, and goes a minute later", async () => {
  const ids = [newId("ses"), newId("ses"), newId("ses")];
  for (const [at, id] of ids.entries()) {
    const values = [id, new Date(Date.now() - 30_000 * at)];
    await db.query("test_old", "insert into revocations (subject, kind, expires_at) values ($1, 'sid', $2)", values);
  }
  const fresh = newId("ses");
  await endSession(fresh);
  expect((await all()).map((entry) => entry.id)).toEqual([fresh]);
  await pushRevocations(db, notices);
  await until(() => heard.includes(fresh));
  expect(heard).toEqual([fresh]);
  await db.query("test_age", "update revocations set expires_at = expires_at - interval '10 seconds'", []);
  await sweepRevocations(db);
  const left = await db.query<{ subject: string }>("test_left", "select subject from revocations", []);
  expect(left.map(({ subject }) => subject).sort()).toEqual([...ids.slice(0, 2), fresh].sort());
});

async function all() {
  const keys = signingKeys({ db, keyring: newKeyring(), clock: Date.now });
  const pages: Revocations[] = [];
  await loadRevocations(ownPeer(callers({ db, signingKeys: keys })), (page) => pages.push(page));
  return pages.flatMap(({ sessions, principals }) => [...sessions, ...principals]);
}
