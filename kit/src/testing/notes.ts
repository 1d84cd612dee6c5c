import { kitMigration } from "../database/kit-migration.js";
import type { Migrations } from "../database/migrate.js";
import { openPostgres, type Postgres } from "../database/postgres.js";
import { changing } from "../database/statement.js";
import { createTestDatabase, quiet } from "../testing.js";

/** A database as a service has it, with one table: what the tests of outbox, inbox and writes change. */
export interface Notes {
  readonly url: string;
  readonly db: Postgres;
  events(): Promise<EventRow[]>;
  close(): Promise<void>;
}

export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly org_id: string;
  readonly sequence: number;
  readonly sent_at: Date | null;
}

export const notesMigrations: Migrations = {
  "0000-kit": kitMigration,
  "0001-notes": {
    up: (knex) =>
      knex.raw(`create table notes (
        id text constraint notes_pkey primary key, org_id text not null, text text not null, version bigint not null default 1
      )`),
  },
};

export const insertNote = changing({
  name: "insert_note",
  effect: "insert into notes (id, org_id, text) values ($1, $2, $3) returning id, org_id, version, text",
  event: { type: "notes.note.created", columns: ["id", "text"] },
});

export async function openNotes(poolMax = 10): Promise<Notes> {
  const database = await createTestDatabase(notesMigrations);
  const db = openPostgres({ url: database.url, poolMax, log: quiet });
  return {
    url: database.url,
    db,
    events: () => db.query("list_events", "select * from outbox order by pos", []),
    async close() {
      await db.close();
      await database.close();
    },
  };
}
