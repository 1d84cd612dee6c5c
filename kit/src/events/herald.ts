import pg from "pg";
import type { Postgres } from "../database/postgres.js";
import type { Log } from "../process/log.js";

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
  const ear = openEar(url, channel, log, () => {
    for (const ring of rings) {
      ring();
    }
  });
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
      ear.open();
      return () => rings.delete(ring);
    },
    async close() {
      clearTimeout(announcement);
      await ear.close();
    },
  };
}

const INTERVAL_MS = 10;
const RECONNECT_MS = 500;
const CONNECT_TIMEOUT_MS = 2_000;

/** A connection of its own that listens, opened at the first wish and again whenever it is lost. */
function openEar(url: string, channel: string, log: Log, hear: () => void) {
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const open = async () => {
    const fresh = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    client = fresh;
    fresh.on("notification", hear);
    // Always followed by `end`, which reconnects; without a listener it would end the process.
    fresh.on("error", (error) => log.debug({ err: error }, "the listening connection is lost"));
    fresh.once("end", reopen);
    await fresh.connect();
    await fresh.query(`listen ${channel}`);
    // What was announced in between went unheard.
    hear();
  };
  const reopen = () => {
    if (!closed) {
      clearTimeout(retry);
      retry = setTimeout(attempt, RECONNECT_MS);
    }
  };
  const attempt = () => {
    open().catch((error: unknown) => {
      log.debug({ err: error }, "cannot listen for notifications now");
      reopen();
    });
  };

  return {
    open() {
      if (client === undefined) {
        attempt();
      }
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await client?.end();
    },
  };
}
