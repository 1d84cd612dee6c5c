import pg from "pg";
import type { Log } from "../process/log.js";

/** A connection of its own that listens for notifications, opened at the first wish and again whenever it is lost. */
export interface Ear {
  /** Resolves once it listens or the first attempt has failed; it goes on trying. */
  open(): Promise<void>;
  close(): Promise<void>;
}

export interface EarOptions {
  readonly url: string;
  readonly channel: string;
  readonly log: Log;
  /** The text of a notification. */
  readonly hear: (text: string) => void;
  /** It listens from now on, the first time or again: what was announced before may have gone unheard. */
  readonly opened: () => void;
  /** It still listens, as it found out just now. */
  readonly alive?: () => void;
  /** How often it finds out. */
  readonly probeMs?: number;
}

export function openEar(options: EarOptions): Ear {
  const { url, channel, log, hear, opened, probeMs = PROBE_MS } = options;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const open = async () => {
    const fresh = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
    });
    client = fresh;
    fresh.on("notification", ({ payload }) => hear(payload ?? ""));
    // Always followed by `end`, which reconnects; without a listener it would end the process.
    fresh.on("error", (error) => log.debug({ err: error }, "the listening connection is lost"));
    fresh.once("end", reopen);
    await fresh.connect();
    await fresh.query(`listen "${channel}"`);
    probeUntilLost(fresh, options.alive, probeMs);
    opened();
  };
  const reopen = () => {
    if (!closed) {
      clearTimeout(retry);
      retry = setTimeout(() => void attempt(), RECONNECT_MS);
    }
  };
  const attempt = () =>
    open().catch((error: unknown) => {
      log.debug({ err: error }, "cannot listen for notifications now");
      void client?.end();
      reopen();
    });

  return {
    async open() {
      if (client === undefined) {
        await attempt();
      }
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await client?.end();
    },
  };
}

const RECONNECT_MS = 500;
const CONNECT_TIMEOUT_MS = 2_000;
const ANSWER_TIMEOUT_MS = 3_000;
const PROBE_MS = 5_000;

/** A server that froze ends no connection: one that does not answer any more is given up. */
function probeUntilLost(client: pg.Client, alive: (() => void) | undefined, probeMs: number): void {
  const probe = () => {
    client.query("select").then(
      () => alive?.(),
      () => client.end(),
    );
  };
  const timer = setInterval(probe, probeMs);
  client.once("end", () => clearInterval(timer));
}
