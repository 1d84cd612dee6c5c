import knex, { type Knex } from "knex";
import pg from "pg";
import type { Log } from "../process/log.js";
import type { Sql } from "./postgres.js";
import { knexLog } from "./postgres-pool.js";

/** One step forward; there is none back. */
export interface Migration {
  up(knex: Knex): PromiseLike<unknown>;
  /** `transaction: false` for what Postgres does not do inside one, as `create index concurrently`. */
  readonly config?: { readonly transaction: boolean };
}

/** Migrations by name, `0001-contexts`; they run in the order of their names and are never undone. */
export type Migrations = Readonly<Record<string, Migration>>;

export interface MigrateOptions {
  /** Database and role that own the schema. */
  readonly url: string;
  readonly name: string;
  readonly migrations: Migrations;
  readonly log: Log;
}

/** Brings a schema up to date. Run by its own command, never by a replica; any number of runs at once are one after the other. */
export async function migrate({ url, name, migrations, log }: MigrateOptions): Promise<void> {
  const turn = await takeTurn(url, log);
  const database = knex(migrationConfig(url, migrations, log));
  try {
    // A run that was killed leaves knex's own lock behind. We hold the turn, so nobody else is at work.
    await database.migrate.forceFreeMigrationsLock();
    const [, applied] = await database.migrate.latest();
    log.info({ database: name, applied }, "the schema is up to date");
  } finally {
    await database.destroy();
    await turn.end();
  }
}

/** Whether every one of these migrations is in the database; there may be newer ones. */
export async function schemaReady(db: Sql, migrations: Migrations): Promise<boolean> {
  const [table] = await db.query<{ there: boolean }>(
    "find_migrations_table",
    "select to_regclass('knex_migrations') is not null as there",
    [],
  );
  if (!table?.there) {
    return false;
  }
  const rows = await db.query<{ name: string }>("list_migrations", "select name from knex_migrations", []);
  const applied = new Set(rows.map((row) => row.name));
  return Object.keys(migrations).every((name) => applied.has(name));
}

// Any number will do, as long as it stays: the lock counts within one database.
const TURN_KEY = 7_301_944;
const TURN_TIMEOUT_MS = 300_000;
const LOCK_TIMEOUT_MS = 3_000;
const CONNECT_TIMEOUT_MS = 10_000;

async function takeTurn(url: string, log: Log): Promise<pg.Client> {
  const turn = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    lock_timeout: TURN_TIMEOUT_MS,
  });
  // Without a listener a lost connection would end the process here instead of failing the migration.
  turn.on("error", (error) => log.warn({ err: error }, "the connection that holds the turn is lost"));
  await turn.connect();
  await turn.query("select pg_advisory_lock($1)", [TURN_KEY]);
  return turn;
}

function migrationConfig(url: string, migrations: Migrations, log: Log): Knex.Config {
  // A migration that waits for a lock holds up everybody behind it: better to fail and be run again.
  const connection = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
  };
  return {
    client: "pg",
    connection,
    pool: { min: 0, max: 1 },
    log: knexLog(log),
    migrations: {
      migrationSource: sourceOf(migrations),
      // An older release meets names that it does not know, and goes on.
      disableMigrationsListValidation: true,
    },
  };
}

function sourceOf(migrations: Migrations): Knex.MigrationSource<string> {
  return {
    getMigrations: async () => Object.keys(migrations).sort(),
    getMigrationName: (name) => name,
    getMigration: async (name) => {
      const migration = migrations[name];
      if (migration === undefined) {
        throw new Error(`there is no migration ${name}`);
      }
      return { ...migration, up: async (database) => void (await migration.up(database)), down };
    },
  };
}

async function down(): Promise<void> {
  throw new Error("migrations are not undone: go back one release instead");
}
