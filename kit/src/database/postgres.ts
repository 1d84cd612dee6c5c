import type { Knex } from "knex";
import type pg from "pg";
import { newId } from "../process/id.js";
import type { Log } from "../process/log.js";
import type { Origin } from "./origin.js";
import { type Connection, openPool, type Pool } from "./postgres-pool.js";
import type { Statement } from "./statement.js";

/** Where statements run: on any connection of the pool, or in one transaction. */
export interface Sql {
  /** A prepared statement. One name, one text, for the life of the process. */
  query<Row>(name: string, text: string, values: readonly unknown[]): Promise<Row[]>;
  /** A statement put together at run time, where filters come and go. */
  run<Row>(build: (knex: Knex) => { toSQL(): Knex.Sql }): Promise<Row[]>;
}

/** Where changes are made. */
export interface Tx extends Sql {
  /** A change together with its event; `statement` is made by `changing`. */
  change<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
}

export interface Postgres extends Sql {
  transaction<T>(origin: Origin, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Work of at most one statement, which needs no transaction around it; a second statement throws. */
  single<T>(origin: Origin, work: (tx: Tx) => Promise<T>): Promise<T>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface PostgresOptions {
  readonly url: string;
  readonly poolMax: number;
  readonly log: Log;
}

/** Opens no connection yet: a process starts whether its database is there or not. */
export function openPostgres(options: PostgresOptions): Postgres {
  const pool = openPool(options);
  const anywhere: Send = (query) => pool.lend((connection) => pool.send(connection, query));
  const sql = sqlOver(anywhere, pool.knex);
  return {
    ...sql,
    transaction: (origin, work) => pool.lend((connection) => inTransaction(pool, connection, origin, work)),
    single: (origin, work) => work(txOver(once(anywhere), pool.knex, origin)),
    async ping() {
      await sql.query("ping", "select 1", []);
    },
    close: pool.close,
  };
}

type Send = (query: pg.QueryConfig) => Promise<pg.QueryResult>;

const ROLLBACK_TIMEOUT_MS = 1_000;

async function inTransaction<T>(
  pool: Pool,
  connection: Connection,
  origin: Origin,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  let open = true;
  const send: Send = (query) => {
    if (!open) {
      throw new Error("the transaction is over");
    }
    return pool.send(connection, query);
  };
  try {
    await send({ text: "begin" });
    const answer = await work(txOver(send, pool.knex, origin));
    const { command } = await send({ text: "commit" });
    if (command !== "COMMIT") {
      // Postgres answers the commit of a failed transaction with a rollback, and with no error.
      throw new Error("a statement of this transaction failed and was passed over: nothing is committed");
    }
    return answer;
  } catch (error) {
    await rollBack(pool, connection);
    throw error;
  } finally {
    open = false;
  }
}

async function rollBack(pool: Pool, connection: Connection): Promise<void> {
  if (pool.isBroken(connection)) {
    return;
  }
  try {
    await connection.query(Object.assign({ text: "rollback" }, { query_timeout: ROLLBACK_TIMEOUT_MS }));
  } catch (error) {
    // The server rolls back by itself as soon as the connection is gone.
    pool.discard(connection, error);
  }
}

function sqlOver(send: Send, knex: Knex): Sql {
  return {
    async query<Row>(name: string, text: string, values: readonly unknown[]) {
      return rowsOf<Row>(await send({ name, text, values: [...values] }));
    },
    async run<Row>(build: (knex: Knex) => { toSQL(): Knex.Sql }) {
      const { sql, bindings } = build(knex).toSQL().toNative();
      return rowsOf<Row>(await send({ text: sql, values: [...bindings] }));
    },
  };
}

function txOver(send: Send, knex: Knex, origin: Origin): Tx {
  const sql = sqlOver(send, knex);
  return {
    ...sql,
    change<Row>({ name, text }: Statement, values: readonly unknown[]) {
      const { actorId, requestId, traceparent } = origin;
      return sql.query<Row>(name, text, [...values, newId("evt"), actorId, requestId, traceparent]);
    },
  };
}

function once(send: Send): Send {
  let sent = false;
  return (query) => {
    if (sent) {
      throw new Error("a second statement needs a transaction");
    }
    sent = true;
    return send(query);
  };
}

// The row type stands for the columns that the statement lists; whoever writes the one writes the other.
function rowsOf<Row>(result: pg.QueryResult): Row[] {
  return result.rows as Row[];
}
