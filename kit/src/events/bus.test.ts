import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "../process/id.js";
import { busKinds, LEASE_MS, type TestBus } from "../testing/buses.js";
import { until } from "../testing/until.js";
import { newTraceparent } from "../wire/trace.js";
import type { Bus, Delivery, Outcome } from "./bus.js";
import { type DomainEvent, readEvent } from "./event.js";

for (const { name, reason, start } of busKinds) {
  const suite = reason === undefined ? describe : describe.skip;

  suite(reason === undefined ? name : `${name} (skipped: ${reason})`, () => {
    let server: TestBus;
    let count = 0;
    const buses: Bus[] = [];

    beforeAll(async () => {
      server = await start();
    });
    afterEach(async () => {
      await Promise.all(buses.splice(0).map((bus) => bus.close()));
    });
    afterAll(() => server.close());

    const open = () => {
      const bus = server.open();
      buses.push(bus);
      return bus;
    };
    /** A service that no other test publishes for. */
    const newService = () => {
      count += 1;
      return `svc${count}`;
    };
    const collect = (
      bus: Bus,
      type: string,
      consumer = "reader",
      outcome: (seen: number) => Outcome = () => "done",
    ) => {
      const seen: Delivery[] = [];
      const handle = async (delivery: Delivery) => {
        seen.push(delivery);
        return outcome(seen.length);
      };
      return { seen, consumption: bus.consume({ consumer, types: [type], handle }) };
    };
    const idsOf = (seen: readonly Delivery[]) => seen.map(({ text }) => readEvent(text).id);

    test("an event arrives as it was published", async () => {
      const service = newService();
      const bus = open();
      await bus.declare(service);
      const event = eventOf(`${service}.note.created`, { data: { title: "Übung", list: [1, null] } });
      const { seen } = collect(bus, event.type);
      await bus.publish([event]);
      await until(() => seen.length === 1);
      expect(readEvent(seen[0]?.text ?? "")).toEqual(event);
      expect(seen[0]?.attempt).toBe(1);
    });

    test("what was published before a consumer came is delivered, in the order of publishing", async () => {
      const service = newService();
      const bus = open();
      await bus.declare(service);
      const events = Array.from({ length: 50 }, () => eventOf(`${service}.note.created`));
      for (const event of events) {
        await bus.publish([event]);
      }
      const { seen } = collect(bus, `${service}.note.created`);
      await until(() => seen.length === 50);
      expect(idsOf(seen)).toEqual(events.map(({ id }) => id));
    });

    test("places in the stream only grow, and the state knows the last one", async () => {
      const service = newService();
      const bus = open();
      const before = await bus.declare(service);
      const first = await bus.publish([eventOf(`${service}.note.created`), eventOf(`${service}.note.created`)]);
      const second = await bus.publish([eventOf(`${service}.note.created`)]);
      const places = [...first, ...second].map((published) => ("sequence" in published ? published.sequence : -1));
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect(new Set(places).size).toBe(3);
      const after = await bus.declare(service);
      expect(after).toEqual({ stream: before.stream, lastSequence: places[2] });
    });

    test("an event published twice is delivered once and keeps its place", async () => {
      const service = newService();
      const bus = open();
      await bus.declare(service);
      const event = eventOf(`${service}.note.created`);
      const { seen } = collect(bus, event.type);
      const [first] = await bus.publish([event]);
      const [second] = await bus.publish([event]);
      const last = eventOf(`${service}.note.created`);
      await bus.publish([last]);
      await until(() => idsOf(seen).includes(last.id));
      expect(second).toEqual(first);
      expect(idsOf(seen)).toEqual([event.id, last.id]);
    });

    test("each consuming service gets every event, its replicas share them", async () => {
      const service = newService();
      const publisher = open();
      await publisher.declare(service);
      const type = `${service}.note.created`;
      const replicas = [open(), open()].map((bus) => collect(bus, type, "shared"));
      const other = collect(open(), type, "other");
      const events = Array.from({ length: 300 }, () => eventOf(type));
      await publisher.publish(events);
      const shared = () => replicas.flatMap(({ seen }) => idsOf(seen));
      await until(() => shared().length >= 300 && other.seen.length >= 300);
      const expected = events.map(({ id }) => id).sort();
      expect(shared().sort()).toEqual(expected);
      expect(idsOf(other.seen).sort()).toEqual(expected);
    });

    test("a consumer gets the types it asked for and no others", async () => {
      const service = newService();
      const bus = open();
      await bus.declare(service);
      const { seen } = collect(bus, `${service}.note.deleted`);
      const wanted = eventOf(`${service}.note.deleted`);
      await bus.publish([eventOf(`${service}.note.created`), eventOf(`${service}.other.deleted`), wanted]);
      await until(() => seen.length > 0);
      expect(idsOf(seen)).toEqual([wanted.id]);
    });

    test("a replica of an earlier release is not handed types that only the next one knows", async () => {
      const service = newService();
      const bus = open();
      await bus.declare(service);
      const older = collect(open(), `${service}.note.created`, "rolling");
      const newer = collect(open(), `${service}.note.deleted`, "rolling");
      const created = Array.from({ length: 20 }, () => eventOf(`${service}.note.created`));
      const deleted = Array.from({ length: 20 }, () => eventOf(`${service}.note.deleted`));
      await bus.publish([...created, ...deleted]);
      await until(() => older.seen.length === 20 && newer.seen.length === 20);
      expect(idsOf(older.seen).sort()).toEqual(created.map(({ id }) => id).sort());
    });

    test("an event that was put off comes again after its time, others do not wait for it", async () => {
      const service = newService();
      const bus = open();
      await bus.declare(service);
      const type = `${service}.note.created`;
      const [slow, quick] = [eventOf(type), eventOf(type)];
      const seen: { id: string; attempt: number; atMs: number }[] = [];
      bus.consume({
        consumer: "putting-off",
        types: [type],
        handle: async ({ text, attempt }) => {
          const { id } = readEvent(text);
          seen.push({ id, attempt, atMs: Date.now() });
          return id === slow.id && attempt === 1 ? { retryAfterMs: 500 } : "done";
        },
      });
      await bus.publish([slow, quick]);
      await until(() => seen.length === 3);
      const [first, , again] = seen;
      expect(seen.map(({ id }) => id)).toEqual([slow.id, quick.id, slow.id]);
      expect(again?.attempt).toBe(2);
      expect((again?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(450);
    });

    test("an event whose handler throws comes again", async () => {
      const service = newService();
      const bus = open();
      await bus.declare(service);
      const attempts: number[] = [];
      bus.consume({
        consumer: "throwing",
        types: [`${service}.note.created`],
        handle: async ({ attempt }) => {
          attempts.push(attempt);
          if (attempt === 1) {
            throw new Error("on purpose");
          }
          return "done";
        },
      });
      await bus.publish([eventOf(`${service}.note.created`)]);
      await until(() => attempts.length === 2);
      expect(attempts).toEqual([1, 2]);
    });

    test("while a handler is at work nobody else gets the event, however long it takes", async () => {
      const service = newService();
      const bus = open();
      await bus.declare(service);
      const type = `${service}.note.created`;
      const finished: number[] = [];
      let started = 0;
      const handle = async () => {
        started += 1;
        const doneAtMs = Date.now() + 2 * LEASE_MS;
        await until(() => Date.now() >= doneAtMs);
        finished.push(Date.now());
        return "done" as const;
      };
      bus.consume({ consumer: "slow", types: [type], handle });
      open().consume({ consumer: "slow", types: [type], handle });
      await bus.publish([eventOf(type)]);
      await until(() => finished.length === 1);
      expect(started).toBe(1);
    });

    test("stop waits for what is in hand and takes nothing more", async () => {
      const service = newService();
      const bus = open();
      await bus.declare(service);
      const type = `${service}.note.created`;
      let finish: () => void = () => undefined;
      let [started, finished] = [0, 0];
      const consumption = bus.consume({
        consumer: "stopping",
        types: [type],
        handle: async () => {
          started += 1;
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          finished += 1;
          return "done";
        },
      });
      await bus.publish([eventOf(type)]);
      await until(() => started === 1);
      const stopped = consumption.stop();
      await bus.publish([eventOf(type)]);
      finish();
      await stopped;
      expect([started, finished]).toEqual([1, 1]);
      const { seen } = collect(open(), type, "stopping");
      await until(() => seen.length === 1);
      expect(seen[0]?.attempt).toBe(1);
    });

    test("the ids that were carried since a time can be read back", async () => {
      const service = newService();
      const bus = open();
      await bus.declare(service);
      await bus.declare(newService());
      const since = new Date(Date.now() - 60_000);
      const read = async (from: Date) => {
        const ids: string[] = [];
        for await (const id of bus.ids(service, from)) {
          ids.push(id);
        }
        return ids;
      };
      expect(await read(since)).toEqual([]);
      const events = Array.from({ length: 1_200 }, () => eventOf(`${service}.note.created`));
      await bus.publish(events);
      expect((await read(since)).sort()).toEqual(events.map(({ id }) => id).sort());
      expect(await read(new Date(Date.now() + 60_000))).toEqual([]);
    });

    test("a consumer may come before the service that publishes", async () => {
      const service = newService();
      const { seen } = collect(open(), `${service}.note.created`);
      const bus = open();
      await bus.declare(service);
      await bus.publish([eventOf(`${service}.note.created`)]);
      await until(() => seen.length === 1);
    });
  });
}

function eventOf(type: string, given: Partial<DomainEvent> = {}): DomainEvent {
  return {
    id: newId("evt"),
    type,
    subject: "note_1",
    orgId: "org_1",
    sequence: 1,
    data: {},
    actorId: "usr_1",
    requestId: "r-1",
    traceparent: newTraceparent(),
    time: new Date(),
    ...given,
  };
}
