import type { Origin } from "@assistant/kit/database/origin.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import { type Keyring, seal, unseal } from "@assistant/kit/database/seal.js";
import { unavailable } from "@assistant/kit/wire/fault.js";
import type { JsonWebKey } from "@assistant/proto/assistant/common/v1/callers.js";
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import { insertSigningKey, listSigningKeys, lockSigningKeys, type SigningKeyRow } from "./store/signing-keys.js";

/** The keys that access tokens are signed with. */
export interface SigningKeys {
  /** Makes the platform's first key, if there is none. Throws where the keyring does not open the keys. */
  prepare(origin: Origin): Promise<void>;
  /** The key to sign with now. */
  signer(): Promise<Signer>;
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

  const rows = async () => {
    const nowMs = clock();
    if (known === undefined || Math.abs(nowMs - known.readAtMs) >= REREAD_MS) {
      known = { rows: await listSigningKeys(db, new Date(nowMs)), readAtMs: nowMs };
    }
    return known.rows;
  };

  const signer = async () => {
    const nowMs = clock();
    const row = (await rows()).find(({ signs_from }) => signs_from.getTime() <= nowMs);
    if (row === undefined) {
      throw unavailable("there is no key to sign with yet");
    }
    const opening = opened.get(row.kid) ?? openKey(row, keyring);
    opened.set(row.kid, opening);
    return { kid: row.kid, privateKey: await opening };
  };

  return {
    signer,
    published: async () => (await rows()).map(present),
    async prepare(origin) {
      await db.transaction(origin, async (tx) => {
        await lockSigningKeys(tx);
        const now = new Date(clock());
        if ((await listSigningKeys(tx, now)).length === 0) {
          await insertSigningKey(tx, await newKey(keyring, now));
        }
      });
      known = undefined;
      await signer();
    },
  };
}

/** What `prepare` throws where no waiting will help. */
export const wrongKeyring = new Error(
  "KEYRING does not open the signing keys: it is not the one they were sealed with",
);

const REREAD_MS = 30_000;
const ALGORITHM = "ES256";

async function newKey(keyring: Keyring, signsFrom: Date) {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const { x = "", y = "" } = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint({ kty: "EC", crv: "P-256", x, y });
  const privateSealed = seal(keyring, JSON.stringify(await exportJWK(privateKey)), contextOf(kid));
  return { kid, publicX: x, publicY: y, privateSealed, signsFrom };
}

async function openKey({ kid, private_sealed }: SigningKeyRow, keyring: Keyring): Promise<CryptoKey> {
  // `newKey` sealed it under this very context, and importJWK checks its form.
  const jwk = JSON.parse(unsealed(private_sealed, kid, keyring)) as JWK;
  const key = await importJWK(jwk, ALGORITHM);
  if (key instanceof Uint8Array) {
    throw new Error("a signing key is no key pair");
  }
  return key;
}

function unsealed(sealed: Buffer, kid: string, keyring: Keyring): string {
  try {
    return unseal(keyring, sealed, contextOf(kid)).toString();
  } catch {
    // Whichever way it fails, there is one remedy, and no key belongs into a log.
    throw wrongKeyring;
  }
}

function contextOf(kid: string): string[] {
  return ["signing_keys", kid, "", "private_sealed"];
}

function present({ kid, public_x, public_y }: SigningKeyRow): JsonWebKey {
  return { kid, kty: "EC", crv: "P-256", x: public_x, y: public_y, alg: ALGORITHM, use: "sig" };
}
