import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { idPrefix } from "../process/id.js";
import { insertNote, type Notes, openNotes } from "../testing/notes.js";
import { changing } from "./statement.js";

const origin = { actorId: "usr_1", requestId: "r-1", traceparent: "00-1-1-00" };

describe("a change and its event", () => {
  let room: Notes;
  beforeAll(async () => {
    room = await openNotes();
  });
  afterAll(() => room.close());

  test("one changed row makes one event about it, at its version, with the columns named", async () => {
    const rows = await room.db.single(origin, (tx) => tx.change(insertNote, ["note_1", "org_1", "hello"]));
    expect(rows).toEqual([{ id: "note_1", org_id: "org_1", version: 1, text: "hello" }]);
    expect(await room.events()).toMatchObject([
      {
        type: "notes.note.created",
        subject: "note_1",
        org_id: "org_1",
        sequence: 1,
        data: { id: "note_1", text: "hello" },
        actor_id: "usr_1",
        request_id: "r-1",
        traceparent: "00-1-1-00",
        sent_at: null,
      },
    ]);
  });

  test("several changed rows make as many events, each with an id of its own", async () => {
    const insert = changing({
      name: "insert_notes",
      before: "many as (select 'many_' || n as id from generate_series(1, $2::int) as n),",
      effect: "insert into notes (id, org_id, text) select id, $1, '' from many returning id, org_id, version",
      event: { type: "notes.note.created", columns: ["id"] },
    });
    await room.db.single(origin, (tx) => tx.change(insert, ["org_2", 1_100]));
    const events = (await room.events()).filter((event) => event.org_id === "org_2");
    expect(events).toHaveLength(1_100);
    expect(new Set(events.map(({ id }) => id)).size).toBe(1_100);
    expect(events.every(({ id }) => idPrefix(id) === "evt")).toBe(true);
    expect(events.map(({ id }) => id)).toEqual(events.map(({ id }) => id).sort());
  });

  test("no changed row makes no event", async () => {
    const before = await room.events();
    const update = changing({
      name: "update_note",
      effect: "update notes set text = $2 where id = $1 returning id, org_id, version",
      event: { type: "notes.note.updated", columns: ["id"] },
    });
    expect(await room.db.single(origin, (tx) => tx.change(update, ["note_unknown", "x"]))).toEqual([]);
    expect(await room.events()).toHaveLength(before.length);
  });

  test("an event over 64 KiB is refused together with its change", async () => {
    const insert = changing({
      name: "insert_large_note",
      effect:
        "insert into notes (id, org_id, text) values ($1, $2, repeat('x', $3)) returning id, org_id, version, text",
      event: { type: "notes.note.created", columns: ["text"] },
    });
    const attempt = room.db.single(origin, (tx) => tx.change(insert, ["note_large", "org_1", 65_536]));
    await expect(attempt).rejects.toThrow(/outbox_data_check/);
    expect(await room.db.query("find", "select id from notes where id = $1", ["note_large"])).toEqual([]);
  });

  test("a type that is not service.noun.verb is refused when the statement is made", () => {
    const event = { type: "created", columns: ["id"] };
    expect(() => changing({ name: "x", effect: "select 1", event })).toThrow(/no event type/);
  });
});
