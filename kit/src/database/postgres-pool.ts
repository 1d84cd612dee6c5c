import knex, { type Knex } from "knex";
import pg from "pg";
import type { Log } from "../process/log.js";
import { databaseFault, endsConnection } from "./postgres-fault.js";

export type Connection = pg.Client;

/** knex's pool of connections and its builder; statements go past knex, prepared, on the connections themselves. */
export interface Pool {
  readonly knex: Knex;
  /** Lends a connection to the work and takes it back whatever happens. Throws Faults where the database is at fault. */
  lend<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Sends one statement; a connection that this breaks is not lent again. */
  send(connection: Connection, query: pg.QueryConfig): Promise<pg.QueryResult>;
  isBroken(connection: Connection): boolean;
  discard(connection: Connection, reason: unknown): void;
  close(): Promise<void>;
}

export function openPool(options: { url: string; poolMax: number; log: Log }): Pool {
  const builder = knex(poolConfig(options));
  const broken = new WeakMap<Connection, unknown>();
  const pool: Pool = {
    knex: builder,
    async lend(work) {
      const connection = await acquire(builder);
      try {
        return await work(connection);
      } finally {
        builder.client.releaseConnection(connection);
      }
    },
    async send(connection, query) {
      try {
        return await connection.query(query);
      } catch (error) {
        if (endsConnection(error)) {
          pool.discard(connection, error);
        }
        throw databaseFault(error);
      }
    },
    isBroken: (connection) => broken.has(connection),
    discard(connection, reason) {
      broken.set(connection, reason);
      // knex asks this mark of its own before it lends a connection again, and destroys the ones that carry it.
      Object.assign(connection, { __knex__disposed: reason });
    },
    close: () => builder.destroy(),
  };
  return pool;
}

const ACQUIRE_TIMEOUT_MS = 1_500;
const CONNECT_TIMEOUT_MS = 1_400;
const STATEMENT_TIMEOUT_MS = 10_000;
const CREATE_RETRY_MS = 50;
const IDLE_TIMEOUT_MS = 30_000;

// A server that is stopped rather than gone answers nothing, not even its own timeout.
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 1_000;

async function acquire(builder: Knex): Promise<Connection> {
  try {
    // knex leaves its client untyped; the pg dialect's connections are pg's clients.
    return (await builder.client.acquireConnection()) as Connection;
  } catch (error) {
    throw databaseFault(error);
  }
}

function poolConfig({ url, poolMax, log }: { url: string; poolMax: number; log: Log }): Knex.Config {
  const connection = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    // A replica that froze in a transaction gives its locks back.
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser },
  };
  return {
    client: "pg",
    connection,
    pool: {
      min: 0,
      max: poolMax,
      acquireTimeoutMillis: ACQUIRE_TIMEOUT_MS,
      createTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      // While the database is away whoever asks is told at once instead of after the timeout.
      propagateCreateError: true,
      createRetryIntervalMillis: CREATE_RETRY_MS,
    },
    log: knexLog(log),
  };
}

/** knex writes to the console unless it is given a log; what it reports are lost connections. */
export function knexLog(log: Log): Knex.Logger {
  return {
    warn: (message: unknown) => log.warn({ knex: message }, "the database pool reports"),
    error: (message: unknown) => log.error({ knex: message }, "the database pool failed"),
    deprecate: (method: string, alternative: string) => log.warn({ method, alternative }, "knex deprecates a call"),
    debug: (message: unknown) => log.debug({ knex: message }, "the database pool reports"),
  };
}

function getTypeParser(oid: number): (text: string) => unknown {
  switch (oid) {
    case pg.types.builtins.INT8:
      return readInteger;
    case pg.types.builtins.DATE:
    case pg.types.builtins.TIMESTAMP:
      // Without a zone these are no moments; pg would read them in the zone of the process.
      return (text) => text;
    default:
      return pg.types.getTypeParser(oid, "text");
  }
}

function readInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new Error(`${text} does not fit a number; cast it to text in the statement`);
  }
  return value;
}
