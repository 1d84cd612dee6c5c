import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { createTestDatabase, quiet, type TestDatabase } from "../testing.js";
import { kitMigration } from "./kit-migration.js";
import { type Migrations, migrate, schemaReady } from "./migrate.js";
import { openPostgres, type Postgres } from "./postgres.js";

const first: Migrations = { "0000-kit": kitMigration, "0001-a": { up: (knex) => knex.raw("create table a (id int)") } };
const second: Migrations = { ...first, "0002-b": { up: (knex) => knex.raw("create table b (id int)") } };

describe("migrate", () => {
  let database: TestDatabase;
  let db: Postgres;
  beforeEach(async () => {
    database = await createTestDatabase({});
    db = openPostgres({ url: database.url, poolMax: 2, log: quiet });
  });
  afterEach(async () => {
    await db.close();
    await database.close();
  });

  const run = (migrations: Migrations) => migrate({ url: database.url, name: "test", migrations, log: quiet });
  const tables = async () => {
    const text = "select table_name as name from information_schema.tables where table_name in ('a', 'b') order by 1";
    return (await db.query<{ name: string }>("tables", text, [])).map(({ name }) => name);
  };

  test("migrations run once, in the order of their names, and the schema is ready afterwards", async () => {
    expect(await schemaReady(db, first)).toBe(false);
    await run(first);
    expect(await schemaReady(db, first)).toBe(true);
    expect(await schemaReady(db, second)).toBe(false);
    await run(second);
    await run(second);
    expect(await tables()).toEqual(["a", "b"]);
    expect(await schemaReady(db, second)).toBe(true);
  });

  test("an older release does not mind a newer schema", async () => {
    await run(second);
    await run(first);
    expect(await schemaReady(db, first)).toBe(true);
  });

  test("many migrators at once on an empty database all succeed", async () => {
    await Promise.all(Array.from({ length: 5 }, () => run(second)));
    expect(await tables()).toEqual(["a", "b"]);
  });

  test("a run that fails leaves nothing of itself, and the next one does it all", async () => {
    const broken: Migrations = {
      ...first,
      "0002-b": { up: (knex) => knex.raw("create table b (id int); select 1 / 0") },
    };
    await expect(run(broken)).rejects.toThrow(/division by zero/);
    expect(await tables()).toEqual([]);
    await run(second);
    expect(await tables()).toEqual(["a", "b"]);
  });

  test("the lock that a killed migrator left behind stops nobody", async () => {
    await run(first);
    await db.query("leave_locked", "update knex_migrations_lock set is_locked = 1", []);
    await run(second);
    expect(await tables()).toEqual(["a", "b"]);
  });

  test("a step that must not run in a transaction does not", async () => {
    await run({
      ...first,
      "0002-index": {
        up: (knex) => knex.raw("create index concurrently a_id on a (id)"),
        config: { transaction: false },
      },
    });
    expect(await db.query("index", "select from pg_indexes where indexname = 'a_id'", [])).toHaveLength(1);
  });

  test("a migration that waits for a lock gives up after three seconds", async () => {
    await run(first);
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query("begin; lock table a in access exclusive mode");
    const alter: Migrations = { ...first, "0002-b": { up: (knex) => knex.raw("alter table a add column b int") } };
    const startedMs = Date.now();
    await expect(run(alter)).rejects.toThrow(/lock timeout/);
    expect(Date.now() - startedMs).toBeLessThan(6_000);
    await blocker.end();
  });
});
