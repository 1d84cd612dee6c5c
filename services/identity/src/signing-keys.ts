import type { Origin } from "@assistant/kit/database/origin.js";
import type { Postgres, Sql } from "@assistant/kit/database/postgres.js";
import type { Keyring } from "@assistant/kit/database/seal.js";
import { unavailable } from "@assistant/kit/wire/fault.js";
import type { JsonWebKey } from "@assistant/proto/assistant/common/v1/callers.js";
import type { CryptoKey } from "jose";
import { newSigningKey, openSigningKey, publicKeyOf } from "./signing-key.js";
import { insertSigningKey, listSigningKeys, lockSigningKeys, type SigningKeyRow } from "./store/signing-keys.js";

/** The keys that access tokens are signed with. */
export interface SigningKeys {
  /** Makes the platform's first key, if there is none. Throws where the keyring does not open the keys. */
  prepare(origin: Origin): Promise<void>;
  /**
   * The key to sign with now. Whoever is in a transaction gives it: were another connection waited for, transactions
   * that hold all of them would wait for ever.
   */
  signer(tx?: Sql): Promise<Signer>;
  /** The public keys of all tokens that may be on their way, and those soon to be used. */
  published(): Promise<JsonWebKey[]>;
}

export interface Signer {
  kid: string;
  privateKey: CryptoKey;
}

export interface SigningKeysParts {
  db: Postgres;
  keyring: Keyring;
  clock: () => number;
}

/**
 * Reads the keys again twice a minute: a key that is put beside the others to sign from some later time on is published
 * by every replica, and fetched by every service, before any token is signed with it.
 */
export function signingKeys({ db, keyring, clock }: SigningKeysParts): SigningKeys {
  let known: { rows: SigningKeyRow[]; readAtMs: number } | undefined;
  const opened = new Map<string, Promise<CryptoKey>>();

  const rows = async (sql: Sql = db) => {
    const nowMs = clock();
    if (known === undefined || Math.abs(nowMs - known.readAtMs) >= REREAD_MS) {
      known = { rows: await listSigningKeys(sql, new Date(nowMs)), readAtMs: nowMs };
    }
    return known.rows;
  };

  const signer = async (tx?: Sql) => {
    const nowMs = clock();
    const row = (await rows(tx)).find(({ signs_from }) => signs_from.getTime() <= nowMs);
    if (row === undefined) {
      throw unavailable("there is no key to sign with yet");
    }
    const opening = opened.get(row.kid) ?? openSigningKey(row, keyring);
    opened.set(row.kid, opening);
    return { kid: row.kid, privateKey: await opening };
  };

  return {
    signer,
    published: async () => (await rows()).map(publicKeyOf),
    async prepare(origin) {
      await db.transaction(origin, async (tx) => {
        await lockSigningKeys(tx);
        const now = new Date(clock());
        if ((await listSigningKeys(tx, now)).length === 0) {
          await insertSigningKey(tx, await newSigningKey(keyring, now));
        }
      });
      known = undefined;
      await signer();
    },
  };
}

const REREAD_MS = 30_000;
