import type { Origin } from "@assistant/kit/database/origin.js";
import type { Postgres, Tx } from "@assistant/kit/database/postgres.js";
import { type Keyring, seal, unseal } from "@assistant/kit/database/seal.js";
import { newId } from "@assistant/kit/process/id.js";
import { unavailable } from "@assistant/kit/wire/fault.js";
import { wrongKeyring } from "../signing-key.js";
import { insertSamlKey, listSamlKeys, lockSamlKeys, type SamlKeyRow } from "../store/saml-keys.js";
import { type KeyPair, newKeyPair } from "./protocol/key-pair.js";

/** The keys that this platform has as SAML service provider, the same for all orgs. */
export interface SpKeys {
  /** Makes the platform's first key, if there is none. Throws where the keyring does not open the keys. */
  prepare(origin: Origin): Promise<void>;
  /** The key to sign with now. Not to be asked in a transaction: it may need a connection of its own. */
  signer(): Promise<KeyPair>;
  /** All keys that something may have been encrypted for, as PEM. */
  decryptionKeys(): Promise<string[]>;
  /** What providers are to know: the key that signs now, then the one to come. */
  published(): Promise<[KeyPair, ...KeyPair[]]>;
}

export interface SpKeysParts {
  db: Postgres;
  keyring: Keyring;
  clock: () => number;
  /** Stands in the certificates. */
  entityId: string;
}

/** Reads the keys again twice a minute: one that takes over was known to every replica long before. */
export function spKeys(parts: SpKeysParts): SpKeys {
  const { db, keyring, clock } = parts;
  let known: { rows: SamlKeyRow[]; readAtMs: number } | undefined;

  const rows = async () => {
    const nowMs = clock();
    if (known === undefined || Math.abs(nowMs - known.readAtMs) >= REREAD_MS) {
      known = { rows: await listSamlKeys(db, new Date(nowMs)), readAtMs: nowMs };
    }
    return known.rows;
  };

  const active = async () => {
    const nowMs = clock();
    const row = (await rows()).find(({ signs_from }) => signs_from.getTime() <= nowMs);
    if (row === undefined) {
      throw unavailable("there is no SAML key to sign with yet");
    }
    return row;
  };

  return {
    signer: async () => openKey(await active(), keyring),
    decryptionKeys: async () => (await rows()).map((row) => openKey(row, keyring).privateKey),
    async published() {
      const current = await active();
      const next = (await rows()).filter(({ signs_from }) => signs_from > current.signs_from);
      return [openKey(current, keyring), ...next.map((row) => openKey(row, keyring))];
    },
    async prepare(origin) {
      await db.transaction(origin, async (tx) => {
        await lockSamlKeys(tx);
        const now = new Date(clock());
        if ((await listSamlKeys(tx, now)).length === 0) {
          await addKey(tx, parts, now);
        }
      });
      known = undefined;
      openKey(await active(), keyring);
    },
  };
}

/**
 * Adds a key that takes over a day from now, so that providers have read of it by then; answers all keys. Undefined:
 * one is on its way already, or, with `olderThan`, none ends before that time.
 */
export async function rotateSpKeys(tx: Tx, parts: SpKeysParts, olderThan?: Date): Promise<SamlKeyRow[] | undefined> {
  await lockSamlKeys(tx);
  const nowMs = parts.clock();
  const [newest] = await listSamlKeys(tx, new Date(nowMs));
  const isComing = newest !== undefined && newest.signs_from.getTime() > nowMs;
  const isYoung = newest !== undefined && olderThan !== undefined && newest.expires_at >= olderThan;
  if (isComing || isYoung) {
    return undefined;
  }
  await addKey(tx, parts, new Date(nowMs + PUBLISHED_AHEAD_MS));
  return listSamlKeys(tx, new Date(nowMs));
}

const REREAD_MS = 30_000;
const DAY_MS = 86_400_000;
const PUBLISHED_AHEAD_MS = DAY_MS;
const DECRYPTS_LONGER_MS = 30 * DAY_MS;

async function addKey(tx: Tx, { keyring, clock, entityId }: SpKeysParts, signsFrom: Date): Promise<void> {
  const id = newId("key");
  const { privateKey, certificate, expiresAt } = await newKeyPair(new URL(entityId).hostname, clock());
  const privateSealed = seal(keyring, privateKey, contextOf(id));
  const formerUntil = new Date(signsFrom.getTime() + DECRYPTS_LONGER_MS);
  await insertSamlKey(tx, { id, certificate, privateSealed, signsFrom, expiresAt }, formerUntil);
}

function openKey({ id, certificate, private_sealed }: SamlKeyRow, keyring: Keyring): KeyPair {
  try {
    return { certificate, privateKey: unseal(keyring, private_sealed, contextOf(id)).toString() };
  } catch {
    // Whichever way it fails, there is one remedy, and no key belongs into a log.
    throw wrongKeyring;
  }
}

function contextOf(id: string): string[] {
  return ["saml_sp_keys", id, "", "private_sealed"];
}
