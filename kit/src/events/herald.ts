import type { Postgres } from "../database/postgres.js";
import type { Log } from "../process/log.js";
import { openEar } from "./ear.js";

/** Tells other processes that there is something to fetch. News can be lost, so whoever waits also looks now and then. */
export interface Herald {
  /** Called after a commit; many of them become one notification each 10 ms, as each costs all others their speed. */
  announce(): void;
  /** Calls back at each notification, until the answer is called. */
  listen(ring: () => void): () => void;
  close(): Promise<void>;
}

export interface HeraldOptions {
  readonly url: string;
  readonly db: Postgres;
  readonly channel: string;
  readonly log: Log;
}

export function openHerald({ url, db, channel, log }: HeraldOptions): Herald {
  const rings = new Set<() => void>();
  const ringAll = () => {
    for (const ring of rings) {
      ring();
    }
  };
  const ear = openEar({ url, channel, log, hear: ringAll, opened: ringAll });
  let announcement: NodeJS.Timeout | undefined;
  let announcedAtMs = 0;

  const send = () => {
    announcement = undefined;
    announcedAtMs = Date.now();
    db.query("announce", "select pg_notify($1, '')", [channel]).catch((error: unknown) => {
      log.debug({ err: error }, "a notification is lost, the listeners find out by themselves");
    });
  };

  return {
    announce() {
      announcement ??= setTimeout(send, Math.max(0, announcedAtMs + INTERVAL_MS - Date.now()));
    },
    listen(ring) {
      rings.add(ring);
      void ear.open();
      return () => rings.delete(ring);
    },
    async close() {
      clearTimeout(announcement);
      await ear.close();
    },
  };
}

const INTERVAL_MS = 10;
