import type { Migration } from "./migrate.js";

/** The tables that the kit keeps in every service's database. Services list it first, as `0000-kit`. */
export const kitMigration: Migration = {
  async up(knex) {
    await knex.raw(OUTBOX);
    await knex.raw(INBOX);
    await knex.raw(IDEMPOTENCY);
  },
};

// `txid` lets readers with a cursor see only what can no longer be overtaken: positions do not commit in order.
// A row of 64 KiB is a mistake, since consumers ask for what is large.
const OUTBOX = `
  create table outbox (
    pos bigserial primary key,
    id text not null unique,
    type text not null,
    subject text not null,
    org_id text not null,
    sequence bigint not null,
    data jsonb not null check (pg_column_size(data) <= 65536),
    actor_id text not null,
    request_id text not null,
    traceparent text not null,
    txid xid8 not null default pg_current_xact_id(),
    created_at timestamptz not null default now(),
    sent_at timestamptz,
    stream_seq bigint
  );
  create index outbox_unsent on outbox (pos) where sent_at is null;
  create index outbox_created_at on outbox using brin (created_at) with (autosummarize = on);
  create table outbox_stream (
    singleton boolean primary key default true check (singleton),
    stream text,
    last_seq bigint not null default 0,
    audited_at timestamptz
  );
  insert into outbox_stream default values;
  create unlogged table outbox_carried (id text primary key)`;

const INBOX = `
  create table inbox (
    consumer text not null,
    id text not null,
    at timestamptz not null default now(),
    primary key (consumer, id)
  );
  create index inbox_at on inbox (at);
  create table inbox_failures (
    consumer text not null,
    id text not null,
    attempts integer not null,
    reason text not null,
    failed_at timestamptz not null,
    primary key (consumer, id)
  );
  create table dead_events (
    consumer text not null,
    id text not null,
    event text not null,
    reason text not null,
    died_at timestamptz not null default now(),
    replay_at timestamptz,
    primary key (consumer, id)
  );
  create index dead_events_replay on dead_events (consumer, replay_at) where replay_at is not null`;

const IDEMPOTENCY = `
  create table idempotency (
    caller text not null,
    key text not null,
    rpc text not null,
    request_mac bytea not null,
    answer bytea not null,
    version bigint,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    primary key (caller, key)
  );
  create index idempotency_expires_at on idempotency (expires_at)`;
