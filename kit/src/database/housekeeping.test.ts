import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { insertNote, type Notes, openNotes } from "../testing/notes.js";
import { quiet } from "../testing.js";
import { sweep } from "./housekeeping.js";
import { nobody } from "./origin.js";
import { openPostgres } from "./postgres.js";

describe("housekeeping", () => {
  let notes: Notes;
  beforeAll(async () => {
    notes = await openNotes();
  });
  afterAll(() => notes.close());

  const count = async (table: string) => (await notes.db.run((knex) => knex(table).select(knex.raw("1")))).length;

  test("what has had its time goes, in all replicas at once, and what has not stays", async () => {
    for (const id of ["sent_long_ago", "sent_now", "never_sent"]) {
      await notes.db.single(nobody, (tx) => tx.change(insertNote, [id, "org_1", ""]));
    }
    await notes.db.run((knex) =>
      knex.raw(`
        update outbox set created_at = now() - interval '8 days';
        update outbox set sent_at = now() - interval '8 days' where subject = 'sent_long_ago';
        update outbox set sent_at = now() where subject = 'sent_now';
        insert into inbox (consumer, id, at)
          select 'reader', n, now() - make_interval(days => 10 + n % 10) from generate_series(1, 5000) as n;
        insert into inbox_failures values ('reader', 'old', 1, '', now() - interval '16 days'), ('reader', 'new', 1, '', now());
        insert into idempotency (caller, key, rpc, request_mac, answer, expires_at)
          values ('a', 'old', '', '', '', now() - interval '1 second'), ('a', 'new', '', '', '', now() + interval '1 hour')`),
    );
    const replicas = Array.from({ length: 3 }, () => openPostgres({ url: notes.url, poolMax: 1, log: quiet }));
    await Promise.all([notes.db, ...replicas].map(sweep));
    await sweep(notes.db);
    await Promise.all(replicas.map((db) => db.close()));

    expect((await notes.events()).map(({ subject }) => subject)).toEqual(["sent_now", "never_sent"]);
    expect(await count("inbox")).toBe(2_500);
    expect(await count("inbox_failures")).toBe(1);
    expect(await count("idempotency")).toBe(1);
  });
});
