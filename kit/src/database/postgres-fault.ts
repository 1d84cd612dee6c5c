import pg from "pg";
import { Fault, late, unavailable } from "../wire/fault.js";

/** What a failure of the database means to the caller. Failures that are our own mistakes come back as they are. */
export function databaseFault(error: unknown): unknown {
  if (error instanceof Fault) {
    return error;
  }
  if (error instanceof pg.DatabaseError) {
    return stateFault(error, error.code ?? "");
  }
  if (isConnectionError(error)) {
    return unavailable("the database does not answer", error);
  }
  return error;
}

/** The connection itself is of no further use: the next statement needs another one. */
export function endsConnection(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    return ENDS_CONNECTION.some((prefix) => error.code?.startsWith(prefix));
  }
  return isConnectionError(error);
}

/** Two transactions stood in each other's way; all of this one is undone, so it may run again. */
export function isCollision(error: unknown): boolean {
  const cause = error instanceof Fault ? error.cause : error;
  return cause instanceof pg.DatabaseError && COLLISIONS.includes(cause.code ?? "");
}

/** A row would have repeated what this constraint keeps unique. The transaction is undone. */
export function breaksUnique(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION && error.constraint === constraint;
}

const UNIQUE_VIOLATION = "23505";
const SERIALIZATION_FAILURE = "40001";
const DEADLOCK = "40P01";
const COLLISIONS = [SERIALIZATION_FAILURE, DEADLOCK];

// statement_timeout ran out.
const QUERY_CANCELED = "57014";

// Connection exceptions; insufficient resources (53100 disk full, 53300 too many connections); operator intervention; system
// errors; lock timeout; read only, which a demoted primary is; a prepared statement overtaken by a migration.
const PASSING = ["08", "53", "57P", "58", "55P03", "25006", "25P03", "0A000", ...COLLISIONS];

const ENDS_CONNECTION = ["08", "57P", "25006", "25P03", "0A000"];

const SOCKET_ERRORS = [
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
];

// pg reports these in words alone. A wait for a connection from the pool is `KnexTimeoutError`, which names itself.
const CONNECTION_TEXTS = [
  "Connection terminated",
  "Client has encountered a connection error",
  "Client was closed",
  "Query read timeout",
  "timeout expired",
  "timeout exceeded when trying to connect",
  "Unable to acquire a connection",
];

function stateFault(error: Error, state: string): unknown {
  if (state === QUERY_CANCELED) {
    return new Fault("late", late().message, { cause: error });
  }
  if (PASSING.some((prefix) => state.startsWith(prefix))) {
    return unavailable(`the database cannot do it now (${state})`, error);
  }
  return error;
}

// By its properties: an error of Node's own need not be an instance of this realm's Error.
function isConnectionError(error: unknown): boolean {
  if (typeof error !== "object" || error === null) {
    return false;
  }
  const { name, message, code }: { name?: unknown; message?: unknown; code?: unknown } = error;
  return (
    name === "KnexTimeoutError" ||
    name === "TimeoutError" ||
    (typeof code === "string" && SOCKET_ERRORS.includes(code)) ||
    (typeof message === "string" && CONNECTION_TEXTS.some((text) => message.startsWith(text)))
  );
}
