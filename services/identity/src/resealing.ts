import { nobody } from "@assistant/kit/database/origin.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import { hmac, type Keyring, seal, unseal } from "@assistant/kit/database/seal.js";
import type { Log } from "@assistant/kit/process/log.js";
import { LINK_PURPOSE } from "./links/token.js";
import { lockSealedUnderOthers, reseal, type SealedColumn, type SealedRow } from "./store/sealed-columns.js";

/**
 * After the keyring got another active key, seals everything that lasts under that key, so that the former one can be
 * taken out of the ring. Every replica may do it; rows that are in use are left for the next round.
 */
export function startResealing(parts: { db: Postgres; keyring: Keyring; log: Log }): { stop(): Promise<void> } {
  const { log } = parts;
  const round = async () => {
    try {
      const { resealed, unreadable } = await resealAll(parts);
      if (resealed > 0) {
        log.info({ resealed }, "secrets were sealed under the active key");
      }
      if (unreadable > 0) {
        log.error({ unreadable }, "secrets do not open with this keyring: a key of theirs is missing");
      }
    } catch (error) {
      log.warn({ err: error }, "cannot seal anew now");
    }
  };
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = round();
  }, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

export interface Resealed {
  resealed: number;
  /** Sealed with a key that is not in the ring, or damaged. */
  unreadable: number;
}

/** One round. */
export async function resealAll({ db, keyring }: { db: Postgres; keyring: Keyring }): Promise<Resealed> {
  const sum = { resealed: 0, unreadable: 0 };
  for (const column of COLUMNS) {
    let after = "";
    for (;;) {
      const done = await resealSome(db, keyring, column, after);
      sum.resealed += done.resealed;
      sum.unreadable += done.unreadable;
      if (done.last === undefined) break;
      after = done.last;
    }
  }
  return sum;
}

const EVERY_MS = 60_000;
// Few at a time, so that nobody waits for the rows.
const CHUNK = 200;

/** What is sealed for longer than a day. What is not here ends by itself before a former key may be taken out. */
const COLUMNS: readonly SealedColumn[] = [
  {
    table: "magic_links",
    key: "id",
    org: "org_id",
    sealed: "sealed",
    lookup: { column: "lookup", purpose: LINK_PURPOSE },
  },
  { table: "signing_keys", key: "kid", sealed: "private_sealed" },
  { table: "saml_sp_keys", key: "id", sealed: "private_sealed" },
];

async function resealSome(db: Postgres, keyring: Keyring, column: SealedColumn, after: string) {
  return db.transaction(nobody, async (tx) => {
    const rows = await lockSealedUnderOthers(tx, column, { kid: keyring.active.kid, after, limit: CHUNK });
    let resealed = 0;
    for (const row of rows) {
      const fresh = sealedAnew(keyring, column, row);
      if (fresh !== undefined) {
        await reseal(tx, column, row, fresh);
        resealed += 1;
      }
    }
    return { resealed, unreadable: rows.length - resealed, last: rows.at(-1)?.key };
  });
}

function sealedAnew(keyring: Keyring, { table, sealed, lookup }: SealedColumn, row: SealedRow) {
  const context = [table, row.key, row.org, sealed];
  let secret: Buffer;
  try {
    secret = unseal(keyring, row.sealed, context);
  } catch {
    // Whatever is wrong with it, the others are not to wait for it; the round says how many there are.
    return undefined;
  }
  const found = lookup && hmac(keyring, secret, lookup.purpose);
  return { sealed: seal(keyring, secret, context), lookup: found };
}
