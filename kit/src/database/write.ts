import type { Call } from "../wire/call.js";
import { Fault } from "../wire/fault.js";
import type { Rpc } from "../wire/rpc.js";
import { createOnce } from "./idempotency.js";
import { type Origin, originOf } from "./origin.js";
import type { Postgres, Tx } from "./postgres.js";
import { isCollision } from "./postgres-fault.js";
import type { Keyring } from "./seal.js";

/**
 * Runs the effect of a write in one transaction and, where the call carries an Idempotency-Key, at most once. Should transactions
 * collide, the effect runs again from the start: it changes nothing but the database and `call.reply`.
 */
export interface Write {
  <Q, R>(call: Call, rpc: Rpc<Q, R>, request: Q, effect: Effect<R>): Promise<R>;
  /** For an effect of one statement, which needs no transaction around it unless the call carries a key. */
  single<Q, R>(call: Call, rpc: Rpc<Q, R>, request: Q, effect: Effect<R>): Promise<R>;
}

export type Effect<R> = (tx: Tx) => Promise<R>;

export interface WriteOptions {
  readonly relay: { wake(): void };
  readonly keyring: Keyring;
}

export function createWrite(db: Postgres, { relay, keyring }: WriteOptions): Write {
  const idempotently = createOnce(db, keyring);
  const writer =
    (plainly: Plainly) =>
    async <Q, R>(call: Call, rpc: Rpc<Q, R>, request: Q, effect: Effect<R>): Promise<R> => {
      const work = () =>
        call.idempotencyKey === undefined
          ? plainly(originOf(call), effect)
          : idempotently({ call, key: call.idempotencyKey, rpc, request }, effect);
      const answer = await withoutCollision(work);
      relay.wake();
      return answer;
    };
  return Object.assign(writer(db.transaction), { single: writer(db.single) });
}

type Plainly = <R>(origin: Origin, effect: Effect<R>) => Promise<R>;

const ATTEMPTS = 3;

async function withoutCollision<T>(work: () => Promise<T>, attempts = ATTEMPTS): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (attempts > 1 && error instanceof Fault && isCollision(error)) {
      return withoutCollision(work, attempts - 1);
    }
    throw error;
  }
}
