import type { Log } from "../process/log.js";
import { openNatsNotices } from "./notices-nats.js";
import { openPostgresNotices } from "./notices-postgres.js";

/**
 * Carries short texts to every process that listens at that moment, as well as it can: nobody keeps them. Whoever
 * listens therefore also asks now and then for what it may have missed.
 */
export interface Notices {
  /** Texts of at most 7,500 bytes. Throws the Fault unavailable where they do not get away; some may have by then. */
  tell(subject: string, texts: readonly string[]): Promise<void>;
  /** Listens until all is closed. Resolves once it does or the first attempt has failed; it goes on trying. */
  listen(subject: string, listener: NoticeListener): Promise<void>;
  close(): Promise<void>;
}

export interface NoticeListener {
  hear(text: string): void;
  /** It listens from now on, the first time or again: what was told before may have gone unheard. */
  opened(): void;
  /** It still listens, as it found out just now. */
  alive(): void;
}

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
