import { createHash } from "node:crypto";
import type { Caller } from "../caller/caller.js";
import { answersSecret } from "../rules/secret.js";
import { violation } from "../rules/violation.js";
import type { Call } from "../wire/call.js";
import { invalid } from "../wire/fault.js";
import type { Rpc } from "../wire/rpc.js";
import type { Sql, Tx } from "./postgres.js";
import { hmac, hmacs, type Keyring, seal, unseal } from "./seal.js";

/** A request that says by its key which earlier request it may repeat. */
export interface Keyed<Q, R> {
  readonly call: Call;
  readonly key: string;
  readonly rpc: Rpc<Q, R>;
  readonly request: Q;
}

/** The stored answer of one caller and key. */
export interface Answers<R> {
  find(sql: Sql): Promise<{ answer: R } | undefined>;
  /** Takes the key for the length of the transaction, if nobody holds it, and looks for the answer. */
  claim(tx: Tx): Promise<{ claimed: boolean; found: { answer: R } | undefined }>;
  store(tx: Tx, answer: R): Promise<void>;
}

export interface Slot {
  readonly name: string;
  readonly owner: string;
  readonly key: string;
}

export const KEY_HEADER = ["header", "idempotency-key"];

/** A twin stored its answer between our look and our lock: this attempt is undone. */
export const OVERTAKEN = new Error("a request with the same key was faster");

// Guests of a use case share one principal, and a user may act in several orgs: none of them gets another's answer.
export function slotOf({ orgId, principalId, sessionId, useCaseId }: Caller, key: string): Slot {
  const owner = [orgId, principalId, ...(useCaseId === undefined ? [] : [sessionId])].join(" ");
  return { name: `${owner} ${key}`, owner, key };
}

export function storedAnswers<Q, R>(keyring: Keyring, keyed: Keyed<Q, R>, slot: Slot): Answers<R> {
  const { call, rpc } = keyed;
  const requestBytes = rpc.requestSerialize(inOneOrder(keyed.request));
  const context = ["idempotency", slot.owner, slot.key, "answer"];
  const purpose = "idempotency request";

  const open = (row: StoredRow | NothingStored | undefined) => {
    if (row === undefined || row.rpc === null) {
      return undefined;
    }
    // Before a rotation the fingerprint was made with another key.
    const same = hmacs(keyring, requestBytes, purpose).some((mac) => mac.equals(row.request_mac));
    if (row.rpc !== rpc.path || !same) {
      throw keyReused();
    }
    call.reply.replayed = true;
    if (row.version !== null) {
      call.reply.version = row.version;
    }
    return { answer: rpc.responseDeserialize(unseal(keyring, row.answer, context)) };
  };

  return {
    async find(sql) {
      const [row] = await sql.query<StoredRow>("find_answer", FIND, [slot.owner, slot.key]);
      return open(row);
    },
    async claim(tx) {
      const [row] = await tx.query<ClaimRow>("claim_key", CLAIM, [slot.owner, slot.key, lockOf(slot)]);
      return { claimed: row?.claimed === true, found: open(row) };
    },
    async store(tx, answer) {
      const sealed = seal(keyring, rpc.responseSerialize(answer), context);
      const mac = hmac(keyring, requestBytes, purpose);
      const version = call.reply.version ?? null;
      const values = [slot.owner, slot.key, rpc.path, mac, sealed, version, keptS(rpc.path)];
      const stored = await tx.query("store_answer", STORE, values);
      if (stored.length === 0) {
        throw OVERTAKEN;
      }
    },
  };
}

const KEPT_S = 24 * 3_600;
const SECRET_KEPT_S = 600;

function keptS(path: string): number {
  return answersSecret(path) ? SECRET_KEPT_S : KEPT_S;
}

interface StoredRow {
  readonly rpc: string;
  readonly request_mac: Buffer;
  readonly answer: Buffer;
  readonly version: number | null;
}

interface NothingStored {
  readonly rpc: null;
}

type ClaimRow = { readonly claimed: boolean } & (StoredRow | NothingStored);

const FIND = `
  select rpc, request_mac, answer, version from idempotency
  where caller = $1 and key = $2 and expires_at > now()`;

const CLAIM = `
  select claimed, rpc, request_mac, answer, version
  from (select pg_try_advisory_xact_lock($3) as claimed) as attempt
  left join idempotency on caller = $1 and key = $2 and expires_at > now()`;

const STORE = `
  insert into idempotency (caller, key, rpc, request_mac, answer, version, expires_at)
  values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
  on conflict (caller, key) do update
  set rpc = excluded.rpc, request_mac = excluded.request_mac, answer = excluded.answer, version = excluded.version,
    created_at = excluded.created_at, expires_at = excluded.expires_at
  where idempotency.expires_at <= now()
  returning true`;

function lockOf({ name }: Slot): string {
  return createHash("sha256").update(name).digest().readBigInt64BE().toString();
}

function keyReused() {
  return invalid(violation(KEY_HEADER, "idempotency_key_reused", "Idempotency-Key was already used with another body"));
}

/** Maps go onto the wire in the order of their keys as sent; the same content in another order is the same request. */
function inOneOrder<T>(message: T): T {
  if (Array.isArray(message)) {
    // A copy element by element has the type of the original.
    return message.map(inOneOrder) as T;
  }
  if (typeof message !== "object" || message === null || Object.getPrototypeOf(message) !== Object.prototype) {
    return message;
  }
  const entries = Object.entries(message).map(([name, value]) => [name, inOneOrder(value)] as const);
  // A copy field by field, too.
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) as T;
}
