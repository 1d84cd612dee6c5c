import { setTimeout as delay } from "node:timers/promises";
import { nobody } from "@assistant/kit/database/origin.js";
import { newId } from "@assistant/kit/process/id.js";
import { busKinds, type TestBus } from "@assistant/kit/testing/buses.js";
import { insertNote, type Notes, openNotes } from "@assistant/kit/testing/notes.js";
import { until } from "@assistant/kit/testing/until.js";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { killPart, type Part, startPart } from "./part.js";

const STORM_MS = 8_000;
const DRAIN_MS = 60_000;
const ENOUGH = 500;

for (const { name, reason, start } of busKinds) {
  const suite = reason === undefined ? describe : describe.skip;

  suite(reason === undefined ? name : `${name} (skipped: ${reason})`, () => {
    let sender: Notes;
    let receiver: Notes;
    let server: TestBus;
    let parts: Map<string, Part>;

    beforeEach(async () => {
      [sender, receiver, server] = await Promise.all([openNotes(), openNotes(), start()]);
      parts = new Map();
      for (const replica of ["relay 1", "relay 2", "consumer 1", "consumer 2"]) {
        raise(replica);
      }
    });
    afterEach(async () => {
      await Promise.all([...parts.values()].map(killPart));
      await Promise.all([sender.close(), receiver.close(), server.close()]);
    });

    const raise = (replica: string) => {
      const kind = replica.slice(0, replica.indexOf(" "));
      const databaseUrl = kind === "relay" ? sender.url : receiver.url;
      parts.set(replica, startPart(kind, { databaseUrl, ...server.wiring, forever: true }));
    };
    const strike = async (replica: string) => {
      const part = parts.get(replica);
      if (part !== undefined) {
        await killPart(part);
      }
      raise(replica);
    };
    /** Writers that go on as long as the work does, and until there is enough to look at. */
    const whileWriting = async (work: () => Promise<void>) => {
      let stopping = false;
      let written = 0;
      const writers = Array.from({ length: 4 }, async () => {
        while (!stopping || written <= ENOUGH) {
          written += 1;
          await sender.db.single(nobody, (tx) => tx.change(insertNote, [newId("note"), "org_1", ""]));
          await delay(2);
        }
      });
      await work();
      stopping = true;
      await Promise.all(writers);
    };
    const effects = async () => {
      const rows = await receiver.db.query<{ text: string }>("effects", "select text from notes", []);
      return rows.map(({ text }) => text).sort();
    };
    const expectEachOnce = async () => {
      const sent = (await sender.events()).map(({ id }) => id).sort();
      await until(async () => (await effects()).length >= sent.length, DRAIN_MS);
      expect(await effects()).toEqual(sent);
      expect(sent.length).toBeGreaterThan(ENOUGH);
      const unsent = "select id from outbox where sent_at is null";
      await until(async () => (await sender.db.query("unsent", unsent, [])).length === 0, DRAIN_MS);
      // What followed from the effects is there once, too.
      expect(await receiver.events()).toHaveLength(sent.length);
    };

    test("relays and consumers killed at random while writers write: each event takes effect exactly once", async () => {
      const seed = Date.now() % 1_000_000;
      const random = randomOf(seed);
      await whileWriting(async () => {
        const endsAtMs = Date.now() + STORM_MS;
        while (Date.now() < endsAtMs) {
          await delay(150 + random(500));
          await strike([...parts.keys()][random(parts.size)] ?? "");
        }
      });
      await expectEachOnce().catch((error: unknown) => {
        throw new Error(`the victims were chosen with the seed ${seed}`, { cause: error });
      });
    }, 120_000);

    if (name === "the JetStream bus") {
      test("NATS killed four times while writers write: each event takes effect exactly once", async () => {
        await whileWriting(async () => {
          for (let count = 0; count < 4; count += 1) {
            await delay(1_000);
            await server.nats?.kill();
            await delay(300);
            await server.nats?.start();
          }
        });
        await expectEachOnce();
      }, 120_000);

      test("the store of NATS wiped while writers write: after the reconciler each event has taken effect exactly once", async () => {
        await whileWriting(async () => {
          await until(async () => (await effects()).length > 0, DRAIN_MS);
          // Sent and acknowledged, but not yet taken: what only the outbox still has.
          await Promise.all(["consumer 1", "consumer 2"].map((replica) => killPart(parts.get(replica) ?? raised())));
          const taken = (await effects()).length;
          const acknowledged = async () => (await sender.events()).filter(({ sent_at }) => sent_at !== null).length;
          await until(async () => (await acknowledged()) > taken + 50, DRAIN_MS);
          await server.nats?.kill();
          await server.nats?.wipe();
          await server.nats?.start();
          raise("consumer 1");
          raise("consumer 2");
        });
        await expectEachOnce();
      }, 150_000);
    }
  });
}

function raised(): never {
  throw new Error("this part was never started");
}

/** mulberry32: numbers that a seed repeats, evenly spread below a limit. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}
