import { nobody } from "@assistant/kit/database/origin.js";
import { removeSamlKeysBefore } from "../store/saml-keys.js";
import { removeSamlRemains } from "../store/saml-sweep.js";
import { type MetadataRefreshParts, refreshMetadata } from "./metadata-refresh.js";
import { rotateSpKeys, type SpKeysParts } from "./sp-keys.js";

export type SamlUpkeepParts = MetadataRefreshParts & SpKeysParts;

/** Keeps SAML in order, round after round; every replica may do it. */
export function startSamlUpkeep(parts: SamlUpkeepParts): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const round = () => {
    running = keepUp(parts).catch((error: unknown) => parts.log.warn({ err: error }, "cannot keep SAML in order now"));
  };
  const timer = setInterval(round, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** One round: removes what has had its time, makes a key in time, reads the metadata that is due. */
export async function keepUp(parts: SamlUpkeepParts): Promise<void> {
  const { db, clock, log, relay } = parts;
  const now = new Date(clock());
  let removed: number;
  do {
    removed = await removeSamlRemains(db, now, CHUNK);
  } while (removed === CHUNK);
  await removeSamlKeysBefore(db, now);
  const soon = new Date(now.getTime() + REPLACED_AHEAD_MS);
  const rotated = await db.transaction(nobody, (tx) => rotateSpKeys(tx, parts, soon));
  if (rotated !== undefined) {
    log.info({ signs_from: rotated[0]?.signs_from }, "a new SAML key takes over");
    relay.wake();
  }
  await refreshMetadata(parts);
}

const EVERY_MS = 600_000;
// Providers that read our metadata by hand want weeks.
const REPLACED_AHEAD_MS = 60 * 86_400_000;
// Few at a time, so that nobody waits for the sweep.
const CHUNK = 1_000;
