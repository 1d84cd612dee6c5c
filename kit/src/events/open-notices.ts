import type { Log } from "../process/log.js";
import type { Notices } from "./notices.js";
import { openNatsNotices } from "./notices-nats.js";
import { openPostgresNotices } from "./notices-postgres.js";

export interface NoticesOptions {
  /** The service whose process this is. */
  readonly name: string;
  readonly natsUrl?: string | undefined;
  /** The database of the built-in bus, for where there is no NATS. */
  readonly postgresUrl?: string | undefined;
  readonly log: Log;
  /** How often a listener finds out whether it still listens. */
  readonly probeMs?: number;
}

/** Over what the configuration names: NATS where there is one, else the database of the built-in bus. */
export function openNotices({ name, natsUrl, postgresUrl, log, probeMs = PROBE_MS }: NoticesOptions): Notices {
  if (natsUrl !== undefined) {
    return openNatsNotices({ url: natsUrl, name, log, probeMs });
  }
  if (postgresUrl !== undefined) {
    return openPostgresNotices({ url: postgresUrl, log, probeMs });
  }
  throw new Error("NATS_URL or BUS_DATABASE_URL must be set");
}

const PROBE_MS = 5_000;
