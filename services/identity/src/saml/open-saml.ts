import { nobody } from "@assistant/kit/database/origin.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Keyring } from "@assistant/kit/database/seal.js";
import type { Log } from "@assistant/kit/process/log.js";
import { type Egress, openEgress } from "./egress.js";
import { metadataFetch } from "./metadata-fetch.js";
import { type MetadataImport, metadataImport } from "./metadata-import.js";
import type { SamlWorkers } from "./protocol/protocol.js";
import { startSamlWorkers } from "./protocol/workers.js";
import { type SpKeys, spKeys } from "./sp-keys.js";
import { startSamlUpkeep } from "./upkeep.js";

/** What all of SAML shares: our keys, the threads that read messages, the way to what providers publish. */
export interface SamlTools {
  readonly publicUrl: string;
  /** What identity providers know us by. */
  readonly entityId: string;
  readonly spKeys: SpKeys;
  readonly workers: SamlWorkers;
  readonly egress: Egress;
  readonly metadata: MetadataImport;
}

export interface SamlOptions {
  db: Postgres;
  keyring: Keyring;
  clock: () => number;
  relay: { wake(): void };
  log: Log;
  publicUrl: string;
  /** Undefined: where our metadata is found. */
  entityId?: string | undefined;
  /** Networks in which identity providers may publish their metadata, beside the public ones. */
  allowedNetworks: readonly string[];
}

export interface OpenedSaml {
  tools: SamlTools;
  /** Makes what must be there before anybody signs in, once; answers that it is there. */
  prepare(): Promise<true>;
  close(): Promise<void>;
}

export function openSaml(options: SamlOptions): OpenedSaml {
  const { publicUrl, clock, allowedNetworks } = options;
  const entityId = options.entityId ?? `${publicUrl}/saml/metadata`;
  const keys = spKeys({ ...options, entityId });
  const workers = startSamlWorkers();
  const egress = openEgress(allowedNetworks);
  const metadata = metadataImport({ workers, fetchMetadata: metadataFetch(egress), clock });
  let isPrepared = false;
  const upkeep = startSamlUpkeep({ ...options, entityId, metadata });
  return {
    tools: { publicUrl, entityId, spKeys: keys, workers, egress, metadata },
    async prepare() {
      if (!isPrepared) {
        await keys.prepare(nobody);
        isPrepared = true;
      }
      return true;
    },
    async close() {
      await upkeep.stop();
      await egress.close();
      await workers.close();
    },
  };
}
