import { nobody } from "@assistant/kit/database/origin.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Bus } from "@assistant/kit/events/bus.js";
import { readEvent } from "@assistant/kit/events/event.js";
import { startRelay } from "@assistant/kit/events/outbox.js";
import { newId } from "@assistant/kit/process/id.js";
import { busKinds, type TestBus } from "@assistant/kit/testing/buses.js";
import { insertNote, type Notes, openNotes } from "@assistant/kit/testing/notes.js";
import { until } from "@assistant/kit/testing/until.js";
import { quiet } from "@assistant/kit/testing.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startPart } from "./part.js";

// A part has fewer steps than this; reaching it means that it never ends by itself.
const STEPS_MAX = 200;

for (const { name, reason, start } of busKinds) {
  const suite = reason === undefined ? describe : describe.skip;

  suite(reason === undefined ? name : `${name} (skipped: ${reason})`, () => {
    let sender: Notes;
    let receiver: Notes;
    let server: TestBus;
    let bus: Bus;

    beforeAll(async () => {
      [sender, receiver, server] = await Promise.all([openNotes(), openNotes(), start()]);
      bus = server.open();
    });
    afterAll(async () => {
      await bus.close();
      await Promise.all([sender.close(), receiver.close(), server.close()]);
    });

    const add = async (db: Postgres) => {
      await db.single(nobody, (tx) => tx.change(insertNote, [newId("note"), "org_1", ""]));
    };

    test("a relay killed between any two steps loses no event and sends none twice", async () => {
      const words = { databaseUrl: sender.url, ...server.wiring };
      const arrived: string[] = [];
      const handle = async ({ text }: { text: string }) => {
        arrived.push(readEvent(text).id);
        return "done" as const;
      };
      bus.consume({ consumer: "witness", types: ["notes.note.created"], handle });

      let killAt = 0;
      let outcome = "killed";
      while (outcome === "killed" && killAt < STEPS_MAX) {
        killAt += 1;
        await add(sender.db);
        await add(sender.db);
        outcome = await startPart("relay", { ...words, killAt }).ended;
      }
      expect(outcome).toBe("done");
      expect(killAt).toBeGreaterThan(15);
      expect(await startPart("relay", words).ended).toBe("done");

      const events = await sender.events();
      expect(events.filter(({ sent_at }) => sent_at === null)).toEqual([]);
      await until(() => arrived.length >= events.length);
      expect(arrived.sort()).toEqual(events.map(({ id }) => id).sort());
    }, 120_000);

    test("a consumer killed between any two steps has each event take effect exactly once", async () => {
      const words = { databaseUrl: receiver.url, ...server.wiring };
      const sent = await sender.events();
      const relay = startRelay({ db: sender.db, bus, service: "notes", log: quiet });
      let killAt = 0;
      let outcome = "killed";
      while (outcome === "killed" && killAt < STEPS_MAX) {
        killAt += 1;
        // What the killed one had in hand comes back after its lease; one event more keeps the next one busy until then.
        await add(sender.db);
        relay.wake();
        outcome = await startPart("consumer", { ...words, killAt, expected: sent.length + killAt }).ended;
      }
      await relay.stop();
      expect(outcome).toBe("done");
      expect(killAt).toBeGreaterThan(6);

      const wanted = (await sender.events()).map(({ id }) => id).sort();
      const effects = await receiver.db.query<{ text: string }>("effects", "select text from notes", []);
      expect(effects.map(({ text }) => text).sort()).toEqual(wanted);
      expect(await receiver.events()).toHaveLength(wanted.length);
    }, 180_000);
  });
}
