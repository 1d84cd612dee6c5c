import type { Origin } from "@assistant/kit/database/origin.js";
import { newSigningKey, openSigningKey } from "./signing-key.js";
import type { SigningKeysParts } from "./signing-keys.js";
import { insertSigningKey, listSigningKeys, lockSigningKeys, retireSigningKeys } from "./store/signing-keys.js";

/**
 * Puts a new key beside the one that signs, where that is older than `maxAgeMs` and none is waiting already; answers
 * from when on the new one signs. The old key signs until then and verifies until its last token has run out. However
 * many replicas are at it, one new key comes of it.
 */
export async function rotateSigningKey(
  { db, keyring, clock }: SigningKeysParts,
  origin: Origin,
  maxAgeMs = 0,
): Promise<Date | undefined> {
  return db.transaction(origin, async (tx) => {
    await lockSigningKeys(tx);
    const nowMs = clock();
    const [newest] = await listSigningKeys(tx, new Date(nowMs));
    // The platform's first key is not made here. One that waits is as new as the one we would make.
    if (newest === undefined || newest.signs_from.getTime() > nowMs || nowMs - newest.signs_from.getTime() < maxAgeMs) {
      return undefined;
    }
    // With another keyring nobody could sign from then on.
    await openSigningKey(newest, keyring);
    const signsFromMs = nowMs + LEAD_MS;
    await retireSigningKeys(tx, new Date(signsFromMs + OVERLAP_MS));
    const fresh = await newSigningKey(keyring, new Date(signsFromMs));
    await insertSigningKey(tx, fresh);
    return fresh.signsFrom;
  });
}

// Every service fetches the keys every ten minutes, should one of its attempts fail, another follows in time.
const LEAD_MS = 30 * 60_000;
// The ten minutes of the last token, and what clocks may differ by.
const OVERLAP_MS = 15 * 60_000;
