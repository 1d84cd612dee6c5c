import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { openPostgres } from "../database/postgres.js";
import { newId } from "../process/id.js";
import { insertNote, type Notes, openNotes } from "../testing/notes.js";
import { until } from "../testing/until.js";
import { createTestDatabase, quiet, type TestDatabase } from "../testing.js";
import { unavailable } from "../wire/fault.js";
import { newTraceparent } from "../wire/trace.js";
import type { Bus } from "./bus.js";
import { openPostgresBus } from "./bus-postgres.js";
import { busMigrations } from "./bus-postgres-schema.js";
import { replay } from "./dead-events.js";
import { type DomainEvent, writeEvent } from "./event.js";
import { consume, type EventHandler } from "./inbox.js";

const TYPE = "other.thing.deleted";

describe("the inbox", () => {
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

  const openBus = () => {
    const bus = openPostgresBus({ url: busDatabase.url, log: quiet });
    closing.push(() => bus.close());
    return bus;
  };
  const start = (bus: Bus, handler: EventHandler, consumer: string, retriesAfterMs = [1]) => {
    const handlers = { [TYPE]: handler };
    const consumption = consume({ db: notes.db, bus, consumer, handlers, log: quiet, retriesAfterMs });
    closing.push(() => consumption.stop());
    return consumption;
  };
  const note: EventHandler = async (event, tx) => {
    await tx.change(insertNote, [newId("note"), event.orgId, event.subject]);
  };
  const effectsOf = (subject: string) =>
    notes.db.query("effects", "select id, org_id from notes where text = $1", [subject]);
  const deadOf = (consumer: string) =>
    notes.db.query<{ id: string; reason: string }>("dead", "select id, reason from dead_events where consumer = $1", [
      consumer,
    ]);

  const failuresOf = (consumer: string) =>
    notes.db.query("failures", "select id from inbox_failures where consumer = $1", [consumer]);
  /** Puts texts before a consumer as a bus might that knows nothing of events, and of whether they came before. */
  const deliver = async (consumer: string, texts: readonly string[]) => {
    const admin = openPostgres({ url: busDatabase.url, poolMax: 1, log: quiet });
    const text = `
      with given as (
        insert into messages (id, type, event) select gen_random_uuid(), $2, unnest($3::text[]) returning seq)
      insert into deliveries (consumer, seq, type) select $1, seq, $2 from given`;
    await admin.query("deliver", text, [consumer, TYPE, texts]);
    await admin.close();
  };
  const waiting = async (consumer: string) => {
    const admin = openPostgres({ url: busDatabase.url, poolMax: 1, log: quiet });
    const rows = await admin.query("waiting", "select seq from deliveries where consumer = $1", [consumer]);
    await admin.close();
    return rows.length;
  };

  test("an event takes effect once, with the events that follow from it", async () => {
    const bus = openBus();
    const consumer = newId("consumer");
    const event = thing();
    start(bus, note, consumer);
    await bus.publish([event]);
    await until(async () => (await effectsOf(event.subject)).length === 1);
    const following = (await notes.events()).at(-1);
    expect(following).toMatchObject({ actor_id: consumer, request_id: "r-1", traceparent: event.traceparent });
  });

  test("an event that comes again, even many times at the same moment, changes nothing", async () => {
    const consumer = newId("consumer");
    start(openBus(), note, consumer);
    start(openBus(), note, consumer);
    const event = thing();
    const last = thing();
    await deliver(
      consumer,
      Array.from({ length: 50 }, () => writeEvent(event)),
    );
    await deliver(consumer, [writeEvent(last)]);
    await until(async () => (await waiting(consumer)) === 0);
    expect(await effectsOf(event.subject)).toHaveLength(1);
    expect(await effectsOf(last.subject)).toHaveLength(1);
  });

  test("each consuming service has an inbox of its own", async () => {
    const bus = openBus();
    const event = thing();
    start(bus, note, newId("consumer"));
    start(bus, note, newId("consumer"));
    await bus.publish([event]);
    await until(async () => (await effectsOf(event.subject)).length === 2);
  });

  test("a failed effect leaves nothing behind and is tried again after its waits", async () => {
    const bus = openBus();
    const attemptsMs: number[] = [];
    const event = thing();
    const failing: EventHandler = async ({ id }, tx) => {
      // A new consumer is also told what was published before.
      if (id !== event.id) {
        return;
      }
      attemptsMs.push(Date.now());
      await note(event, tx);
      if (attemptsMs.length < 4) {
        throw new Error("on purpose");
      }
    };
    const consumer = newId("consumer");
    start(bus, failing, consumer, [50, 200]);
    await bus.publish([event]);
    await until(() => attemptsMs.length === 4);
    await until(async () => (await effectsOf(event.subject)).length === 1);
    const [first = 0, second = 0, third = 0, fourth = 0] = attemptsMs;
    expect(second - first).toBeGreaterThanOrEqual(45);
    expect(third - second).toBeGreaterThanOrEqual(195);
    expect(fourth - third).toBeGreaterThanOrEqual(195);
    expect(await failuresOf(consumer)).toEqual([]);
  });

  test("after ten failures an event is dead and stops nobody; replayed, it takes effect", async () => {
    const bus = openBus();
    const consumer = newId("consumer");
    let broken = true;
    const poisoned = thing();
    start(
      bus,
      async (event, tx) => {
        if (broken && event.id === poisoned.id) {
          throw new Error("poison");
        }
        await note(event, tx);
      },
      consumer,
    );
    const sound = thing();
    await bus.publish([poisoned, sound]);
    await until(async () => (await effectsOf(sound.subject)).length === 1);
    await until(async () => (await deadOf(consumer)).length === 1, 20_000);
    expect(await deadOf(consumer)).toEqual([{ id: poisoned.id, reason: "poison" }]);
    expect(await failuresOf(consumer)).toEqual([]);

    broken = false;
    expect(await replay(notes.db, [poisoned.id])).toBe(1);
    await until(async () => (await deadOf(consumer)).length === 0);
    expect(await effectsOf(poisoned.subject)).toHaveLength(1);
  });

  test("a replayed event that fails again is dead again, with its new reason", async () => {
    const bus = openBus();
    const consumer = newId("consumer");
    let reason = "first";
    const event = thing();
    const failing: EventHandler = async ({ id }) => {
      if (id === event.id) {
        throw new Error(reason);
      }
    };
    start(bus, failing, consumer);
    await bus.publish([event]);
    await until(async () => (await deadOf(consumer))[0]?.reason === "first");
    reason = "second";
    await replay(notes.db, [event.id]);
    await until(async () => (await deadOf(consumer))[0]?.reason === "second");
  });

  test("an event that waits for a part that is away is never counted as failed", async () => {
    const bus = openBus();
    const consumer = newId("consumer");
    let attempts = 0;
    const awaited = thing();
    const waits: EventHandler = async (event, tx) => {
      attempts += event.id === awaited.id ? 1 : 0;
      if (attempts <= 12) {
        throw unavailable("identity is away");
      }
      await note(event, tx);
    };
    start(bus, waits, consumer);
    await bus.publish([awaited]);
    await until(async () => (await effectsOf(awaited.subject)).length === 1);
    expect(await failuresOf(consumer)).toEqual([]);
    expect(await deadOf(consumer)).toEqual([]);
  });

  test("what is no event at all is dead at once", async () => {
    const consumer = newId("consumer");
    start(openBus(), note, consumer);
    await deliver(consumer, ["", "no json", "null", "{}", writeEvent(thing()).replace('"1.0"', '"2.0"')]);
    await until(async () => (await deadOf(consumer)).length === 5);
  });
});

function thing(): DomainEvent {
  return {
    id: newId("evt"),
    type: TYPE,
    subject: newId("thing"),
    orgId: "org_1",
    sequence: 1,
    data: {},
    actorId: "usr_1",
    requestId: "r-1",
    traceparent: newTraceparent(),
    time: new Date(),
  };
}
