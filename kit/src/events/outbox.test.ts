import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { nobody } from "../database/origin.js";
import { openPostgres } from "../database/postgres.js";
import { newId } from "../process/id.js";
import { insertNote, type Notes, openNotes } from "../testing/notes.js";
import { until } from "../testing/until.js";
import { createTestDatabase, quiet, type TestDatabase } from "../testing.js";
import type { Bus } from "./bus.js";
import { openPostgresBus } from "./bus-postgres.js";
import { busMigrations, migrateBus } from "./bus-postgres-schema.js";
import { readEvent } from "./event.js";
import { startRelay } from "./outbox.js";

describe("the relay", () => {
  let notes: Notes;
  let busDatabase: TestDatabase;
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    [notes, busDatabase] = await Promise.all([openNotes(), createTestDatabase(busMigrations)]);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) {
      await close();
    }
  });
  afterAll(() => Promise.all([notes.close(), busDatabase.close()]));

  const openBus = (url = busDatabase.url) => {
    const bus = openPostgresBus({ url, log: quiet });
    closing.push(() => bus.close());
    return bus;
  };
  const start = (bus: Bus, db = notes.db, pollMs = 1_000) => {
    const relay = startRelay({ db, bus, service: "notes", log: quiet, pollMs });
    closing.push(() => relay.stop());
    return relay;
  };
  const add = async (db = notes.db) => {
    const id = newId("note");
    await db.single(nobody, (tx) => tx.change(insertNote, [id, "org_1", ""]));
    return id;
  };
  const unsent = async () => (await notes.events()).filter(({ sent_at }) => sent_at === null).length;
  const listen = (bus: Bus) => {
    const subjects: string[] = [];
    const handle = async ({ text }: { text: string }) => {
      subjects.push(readEvent(text).subject);
      return "done" as const;
    };
    bus.consume({ consumer: newId("reader"), types: ["notes.note.created"], handle });
    return subjects;
  };

  test("an event of a commit is on the bus without waiting for the poll", async () => {
    const bus = openBus();
    const relay = start(bus, notes.db, 3_600_000);
    const subjects = listen(bus);
    await until(async () => (await unsent()) === 0);
    const id = await add();
    relay.wake();
    await until(() => subjects.includes(id));
  });

  test("events that nobody woke it for are found by the poll", async () => {
    const bus = openBus();
    start(bus);
    const subjects = listen(bus);
    const id = await add();
    await until(() => subjects.includes(id));
  });

  test("many relays on one outbox send each event once", async () => {
    const ids = await Promise.all(Array.from({ length: 1_000 }, () => add()));
    const bus = openBus();
    const subjects = listen(bus);
    const databases = Array.from({ length: 4 }, () => openPostgres({ url: notes.url, poolMax: 2, log: quiet }));
    closing.push(async () => {
      await Promise.all(databases.map((db) => db.close()));
    });
    for (const db of databases) {
      start(openBus(), db);
    }
    await until(() => ids.every((id) => subjects.includes(id)));
    expect(subjects).toHaveLength(new Set(subjects).size);
    await until(async () => (await unsent()) === 0);
  });

  test("stop sends what is still there", async () => {
    const bus = openBus();
    const relay = start(bus);
    await until(async () => (await unsent()) === 0);
    for (let count = 0; count < 450; count += 1) {
      await add();
    }
    await relay.stop();
    expect(await unsent()).toBe(0);
  });

  test("while the bus is away events stay and writers notice nothing; when it is back they go out", async () => {
    const later = await createTestDatabase({});
    const bus = openBus(later.url);
    const relay = start(bus);
    const id = await add();
    relay.wake();
    const subjects = listen(bus);
    await until(async () => (await unsent()) === 1);
    await migrateBus(later.url, quiet);
    await until(() => subjects.includes(id));
    closing.unshift(() => later.close());
  });

  describe("of a bus that lost what it had", () => {
    const refill = async () => {
      const { url, close } = await createTestDatabase(busMigrations);
      closing.unshift(close);
      const bus = openBus(url);
      const relay = start(bus);
      for (let count = 0; count < 5; count += 1) {
        await add();
      }
      await relay.stop();
      expect(await unsent()).toBe(0);
      const subjects = (await notes.events()).map(({ subject }) => subject);
      return { url, bus, subjects, admin: openPostgres({ url, poolMax: 1, log: quiet }) };
    };

    test("all is sent again to a bus that was made anew, or to another one", async () => {
      const { subjects, admin } = await refill();
      await admin.close();
      const other = await createTestDatabase(busMigrations);
      closing.unshift(() => other.close());
      const bus = openBus(other.url);
      const arrived = listen(bus);
      start(bus);
      await until(() => subjects.every((subject) => arrived.includes(subject)));
    });

    test("what a bus lost at its end is sent again", async () => {
      const { bus, subjects, admin } = await refill();
      const lost = await admin.query<{ seq: number }>("max", "select max(seq) as seq from messages", []);
      const kept = (lost[0]?.seq ?? 0) - 3;
      await admin.query("lose", "delete from messages where seq > $1", [kept]);
      await admin.query("rewind", "select setval('messages_seq_seq', $1)", [kept]);
      await admin.close();
      const arrived = listen(bus);
      start(bus);
      await until(() => subjects.every((subject) => arrived.includes(subject)));
    });

    test("what a bus lost at its end is sent again even if new events took its place meanwhile", async () => {
      const { bus, subjects, admin } = await refill();
      const relay = start(bus);
      const id = await add();
      relay.wake();
      await until(async () => (await unsent()) === 0);
      const [last] = await admin.query<{ seq: number }>("max", "select max(seq) as seq from messages", []);
      const kept = (last?.seq ?? 0) - 3;
      await admin.query("lose", "delete from messages where seq > $1", [kept]);
      await admin.query("rewind", "select setval('messages_seq_seq', $1)", [kept]);
      await admin.close();
      // The relay has compared already and does so again only in a minute: it must find out by what the bus answers.
      const newer = await Promise.all([add(), add(), add(), add()]);
      relay.wake();
      const arrived = listen(bus);
      await until(() => [...subjects, id, ...newer].every((subject) => arrived.includes(subject)));
    });

    test("what a bus lost in its middle is found by the daily audit", async () => {
      const { bus, subjects, admin } = await refill();
      await admin.query("hole", "delete from messages where seq % 2 = 0", []);
      await admin.close();
      await notes.db.query("age", "update outbox set sent_at = now() - interval '1 hour'", []);
      await notes.db.query("due", "update outbox_stream set audited_at = now() - interval '25 hours'", []);
      const arrived = listen(bus);
      start(bus);
      await until(() => subjects.every((subject) => arrived.includes(subject)));
    });
  });
});
