import { type Migrations, migrate, schemaReady } from "../database/migrate.js";
import type { Postgres } from "../database/postgres.js";
import type { Log } from "../process/log.js";
import { unavailable } from "../wire/fault.js";

/** The database of the built-in bus, which belongs to no service: whoever sets it up migrates it. */
export const busMigrations: Migrations = {
  "0001-bus": {
    up: (knex) =>
      knex.raw(`
        create table bus (id uuid primary key default gen_random_uuid());
        insert into bus default values;
        create table messages (
          seq bigserial primary key,
          id text not null unique,
          type text not null,
          event text not null,
          published_at timestamptz not null default clock_timestamp()
        );
        create index messages_published_at on messages (published_at);
        create table subscriptions (
          consumer text not null,
          type text not null,
          primary key (consumer, type)
        );
        create table deliveries (
          consumer text not null,
          seq bigint not null references messages on delete cascade,
          type text not null,
          attempts integer not null default 0,
          next_try_at timestamptz not null default now(),
          primary key (seq, consumer)
        );
        create index deliveries_due on deliveries (consumer, next_try_at)`),
  },
};

export function migrateBus(url: string, log: Log): Promise<void> {
  return migrate({ url, name: "bus", migrations: busMigrations, log });
}

/** Throws until the tables are there; asks no more once they are. */
export function busReadiness(db: Postgres): () => Promise<void> {
  let ready = false;
  return async () => {
    ready ||= await schemaReady(db, busMigrations);
    if (!ready) {
      throw unavailable("the database of the bus is not migrated");
    }
  };
}
