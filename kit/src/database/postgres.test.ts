import { createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { insertNote, type Notes, openNotes } from "../testing/notes.js";
import { until } from "../testing/until.js";
import { quiet } from "../testing.js";
import { Fault } from "../wire/fault.js";
import { nobody } from "./origin.js";
import { openPostgres, type Postgres } from "./postgres.js";
import { breaksUnique } from "./postgres-fault.js";

describe("the database", () => {
  let notes: Notes;
  let db: Postgres;

  beforeAll(async () => {
    notes = await openNotes(4);
    db = notes.db;
  });
  afterAll(() => notes.close());

  const fails = async (work: Promise<unknown>) => {
    const error: unknown = await work.then(
      () => new Error("it did not fail"),
      (reason: unknown) => reason,
    );
    return error;
  };

  describe("values", () => {
    test("integers of 64 bits are numbers, and those that do not fit are refused instead of rounded", async () => {
      expect(await db.query("int8", "select 9007199254740991::int8 as n", [])).toEqual([{ n: 9_007_199_254_740_991 }]);
      await expect(db.query("too_large", "select 9007199254740993::int8 as n", [])).rejects.toThrow(/does not fit/);
      expect(await db.query("after", "select 1 as n", [])).toEqual([{ n: 1 }]);
    });

    test("moments are Dates, dates without a zone stay texts", async () => {
      const text = "select '2024-05-06T07:08:09.123Z'::timestamptz as at, '2024-05-06'::date as day";
      expect(await db.query("times", text, [])).toEqual([
        { at: new Date("2024-05-06T07:08:09.123Z"), day: "2024-05-06" },
      ]);
    });
  });

  test("a statement is prepared once per connection and used again", async () => {
    await db.transaction(nobody, async (tx) => {
      for (let count = 0; count < 3; count += 1) {
        await tx.query("prepared_once", "select $1::int as n", [count]);
      }
      const prepared = await tx.query("prepared", "select from pg_prepared_statements where name = $1", [
        "prepared_once",
      ]);
      expect(prepared).toHaveLength(1);
    });
  });

  test("a filter put together at run time runs in the transaction and sees its changes", async () => {
    await fails(
      db.transaction(nobody, async (tx) => {
        await tx.change(insertNote, ["note_built", "org_built", "x"]);
        const rows = await tx.run((knex) => knex("notes").select("id").where({ org_id: "org_built" }).limit(5));
        expect(rows).toEqual([{ id: "note_built" }]);
        throw new Error("undo");
      }),
    );
    expect(await db.run((knex) => knex("notes").select("id").where({ org_id: "org_built" }))).toEqual([]);
  });

  test("a broken constraint is told by its name and is no Fault", async () => {
    await db.single(nobody, (tx) => tx.change(insertNote, ["note_twice", "org_1", ""]));
    const error = await fails(db.single(nobody, (tx) => tx.change(insertNote, ["note_twice", "org_1", ""])));
    expect(error).not.toBeInstanceOf(Fault);
    expect(error).toMatchObject({ constraint: "notes_pkey" });
    expect(breaksUnique(error, "notes_pkey")).toBe(true);
    expect(breaksUnique(error, "notes_name")).toBe(false);
    const absent = await fails(db.query("absent", "insert into notes (id) values (null)", []));
    expect(absent).toMatchObject({ code: "23502" });
    expect(breaksUnique(absent, "notes_pkey")).toBe(false);
  });

  test("a transaction that is over cannot be used any more", async () => {
    const tx = await db.transaction(nobody, async (open) => open);
    await expect(tx.query("late", "select 1", [])).rejects.toThrow(/is over/);
  });

  describe("in trouble", () => {
    test("a server that refuses connections is unavailable, at once", async () => {
      const away = openPostgres({ url: "postgres://nobody@127.0.0.1:1/none", poolMax: 2, log: quiet });
      const startedMs = Date.now();
      for (const error of await Promise.all(Array.from({ length: 20 }, () => fails(away.ping())))) {
        expect(error).toMatchObject({ kind: "unavailable", retryAfterS: 1 });
      }
      expect(Date.now() - startedMs).toBeLessThan(1_000);
      await away.close();
    });

    test("a server that takes connections and says nothing is unavailable within two seconds", async () => {
      const sockets = new Set<Socket>();
      const silent = createServer((socket) => sockets.add(socket)).listen(0, "127.0.0.1");
      await until(() => silent.listening);
      const address = silent.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      const away = openPostgres({ url: `postgres://nobody@127.0.0.1:${port}/none`, poolMax: 2, log: quiet });
      const startedMs = Date.now();
      expect(await fails(away.ping())).toMatchObject({ kind: "unavailable" });
      expect(Date.now() - startedMs).toBeLessThan(2_000);
      for (const socket of sockets) {
        socket.destroy();
      }
      silent.close();
      await away.close();
    });

    test("a pool with no connection left is unavailable within two seconds", async () => {
      let finish: () => void = () => undefined;
      const held = Array.from({ length: 4 }, () =>
        db.transaction(
          nobody,
          () =>
            new Promise<void>((resolve) => {
              const before = finish;
              finish = () => {
                before();
                resolve();
              };
            }),
        ),
      );
      const startedMs = Date.now();
      expect(await fails(db.ping())).toMatchObject({ kind: "unavailable" });
      expect(Date.now() - startedMs).toBeLessThan(2_000);
      finish();
      await Promise.all(held);
      await db.ping();
    });

    test("a server with no connection left is unavailable", async () => {
      const { pathname, host } = new URL(notes.url);
      await db.run((knex) => knex.raw("create role limited login password 'limited' connection limit 0"));
      const limited = openPostgres({ url: `postgres://limited:limited@${host}${pathname}`, poolMax: 1, log: quiet });
      expect(await fails(limited.ping())).toMatchObject({ kind: "unavailable" });
      await limited.close();
      await db.run((knex) => knex.raw("drop role limited"));
    });

    test("connections that the server ends fail as unavailable and do not poison the pool", async () => {
      const running = Array.from({ length: 3 }, () => fails(db.query("sleep", "select pg_sleep(30)", [])));
      const other = openPostgres({ url: notes.url, poolMax: 1, log: quiet });
      const end = `
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and query like '%pg_sleep(30)%' and state = 'active'`;
      let ended = 0;
      await until(async () => {
        ended += (await other.query("end", end, [])).length;
        return ended >= 3;
      });
      for (const error of await Promise.all(running)) {
        expect(error).toMatchObject({ kind: "unavailable", retryAfterS: 1 });
      }
      await Promise.all(Array.from({ length: 8 }, () => db.ping()));
      await other.close();
    });

    test("connections that are ended while idle are replaced unnoticed", async () => {
      await Promise.all(Array.from({ length: 4 }, () => db.query("warm", "select pg_sleep(0.01)", [])));
      const other = openPostgres({ url: notes.url, poolMax: 1, log: quiet });
      const end =
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
      await other.query("end", end, []);
      const left =
        "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'";
      await until(async () => (await other.query("left", left, [])).length === 0);
      await until(async () => {
        await Promise.all(Array.from({ length: 8 }, () => db.ping()));
        return true;
      });
      await other.close();
    });

    test("a connection that ends in the middle of a transaction undoes it", async () => {
      const error = await fails(
        db.transaction(nobody, async (tx) => {
          await tx.change(insertNote, ["note_cut", "org_1", ""]);
          await tx.query("suicide", "select pg_terminate_backend(pg_backend_pid())", []);
        }),
      );
      expect(error).toMatchObject({ kind: "unavailable" });
      expect(await db.query("cut", "select id from notes where id = 'note_cut'", [])).toEqual([]);
    });

    test("a statement that outlasts ten seconds is late, and the connection goes on", async () => {
      expect(await fails(db.query("endless", "select pg_sleep(60)", []))).toMatchObject({ kind: "late" });
      await db.ping();
    });

    test("a disk that is full is unavailable", async () => {
      const full = "do $$ begin raise exception 'no space left on device' using errcode = '53100'; end $$";
      expect(await fails(db.query("full", full, []))).toMatchObject({ kind: "unavailable", retryAfterS: 1 });
      await db.ping();
    });

    test("a statement whose table was changed under it works again on the next connection", async () => {
      const single = openPostgres({ url: notes.url, poolMax: 1, log: quiet });
      await single.run((knex) => knex.raw("create table shifting (a int)"));
      const read = () => single.query("read_shifting", "select a from shifting", []);
      await read();
      await single.run((knex) => knex.raw("alter table shifting alter column a type bigint"));
      expect(await fails(read())).toMatchObject({ kind: "unavailable" });
      expect(await read()).toEqual([]);
      await single.close();
    });

    test("whoever forgets a transaction loses its locks after ten seconds, and only that connection", async () => {
      let finish: () => void = () => undefined;
      const forgotten = fails(
        db.transaction(nobody, async (tx) => {
          await tx.query("hold", "select id from notes where id = $1 for update", ["note_twice"]);
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
        }),
      );
      const other = openPostgres({ url: notes.url, poolMax: 1, log: quiet });
      const taken = "select id from notes where id = $1 for update nowait";
      await until(async () => (await other.query("taken", taken, ["note_twice"])).length === 1, 15_000);
      finish();
      expect(await forgotten).toMatchObject({ kind: "unavailable" });
      await db.ping();
      await other.close();
    });
  });
});
