import { nobody } from "@assistant/kit/database/origin.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Log } from "@assistant/kit/process/log.js";
import {
  lockSamlConnection,
  type SamlConnectionRow,
  type SamlProvider,
  updateSamlConnection,
} from "../store/saml-connections.js";
import { noteSamlMetadata, takeDueSamlConnection } from "../store/saml-providers.js";
import type { MetadataImport, ReadMetadata } from "./metadata-import.js";

export interface MetadataRefreshParts {
  db: Postgres;
  relay: { wake(): void };
  metadata: MetadataImport;
  clock: () => number;
  log: Log;
}

/** Reads again all metadata that is due. What cannot be read leaves in use what was read before. */
export async function refreshMetadata(parts: MetadataRefreshParts): Promise<void> {
  for (let taken = 0; taken < ROUND_MAX; taken += 1) {
    const nowMs = parts.clock();
    const row = await takeDueSamlConnection(parts.db, new Date(nowMs), new Date(nowMs + RETRY_MS));
    if (row === undefined) {
      return;
    }
    await refreshOne(parts, row);
  }
}

// A thousand connections that are all due must not keep one replica from everything else for long.
const ROUND_MAX = 100;
// Also how long a reader that died keeps others from reading.
const RETRY_MS = 3_600_000;

async function refreshOne({ db, relay, metadata, clock, log }: MetadataRefreshParts, taken: SamlConnectionRow) {
  const url = taken.metadata_url ?? "";
  const outcome = await metadata.fetch(url);
  await db.transaction(nobody, async (tx) => {
    const row = await lockSamlConnection(tx, taken.org_id, taken.id);
    if (row === undefined || row.metadata_url !== url) {
      return;
    }
    const now = new Date(clock());
    const failure = outcome.ok ? problemOf(row, outcome.value) : outcome.failure;
    if (!outcome.ok || failure !== undefined) {
      log.warn({ connection_id: row.id, reason: failure }, "the metadata of an identity provider cannot be used");
      const dueAt = new Date(now.getTime() + RETRY_MS);
      await noteSamlMetadata(tx, row, { failure: failure ?? null, readAt: now, dueAt });
      return;
    }
    const { provider, readAt, dueAt } = outcome.value;
    if (isSame(row, provider)) {
      await noteSamlMetadata(tx, row, { failure: null, readAt, dueAt: dueAt ?? now });
    } else {
      await updateSamlConnection(tx, row.org_id, row.id, { ...row, ...provider }, { readAt, dueAt });
    }
  });
  relay.wake();
}

/** Another provider under the same address is nobody whom the admin knows. */
function problemOf(row: SamlConnectionRow, { provider }: ReadMetadata): string | undefined {
  return provider.entity_id === row.entity_id ? undefined : "The metadata is another identity provider's";
}

function isSame(row: SamlConnectionRow, provider: SamlProvider): boolean {
  // What a provider says of itself are columns of the row, under the same names.
  const names = Object.keys(provider) as (keyof SamlProvider)[];
  return names.every((name) => JSON.stringify(row[name]) === JSON.stringify(provider[name]));
}
