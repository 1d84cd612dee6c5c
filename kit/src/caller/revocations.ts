import type { NoticeListener, Notices } from "../events/notices.js";
import { createBell } from "../process/bell.js";
import type { Log } from "../process/log.js";
import type { Peer } from "../wire/dial.js";
import { unavailable } from "../wire/fault.js";
import { createRevocationList, type RevocationList, type TokenOfCaller } from "./revocation-list.js";
import { REVOKED, readRevocations } from "./revocation-notice.js";
import { loadRevocations } from "./revocation-pages.js";

/** Which tokens do not hold any more though they have not expired, in the memory of each process. */
export interface Revocations {
  /** Throws a Fault: unauthenticated for a token that does not hold, unavailable while that is not known. */
  check(token: TokenOfCaller): void;
  /** Whether it is known; until then no token can be taken. */
  isKnown(): boolean;
  close(): Promise<void>;
}

export interface RevocationsOptions {
  /** Serves the CallersService. */
  readonly identity: Peer;
  readonly notices: Notices;
  readonly log: Log;
  readonly clock?: () => number;
  /** How often everything is asked for again. */
  readonly reloadMs?: number;
}

/**
 * Listens for revocations, then asks for all there are: the other way round those in between would be lost. It asks
 * again now and then, and whenever notices may have been lost.
 */
export function watchRevocations(options: RevocationsOptions): Revocations {
  const { identity, notices, log, clock = Date.now, reloadMs = RELOAD_MS } = options;
  const list = createRevocationList(clock);
  const bell = createBell();
  const freshness = createFreshness(clock);
  let isWell = true;
  let closed = false;

  const load = async () => {
    const loaded = freshness.loading();
    await loadRevocations(identity, list.add);
    loaded();
    list.forgetExpired();
  };
  const listener: NoticeListener = {
    hear: (text) => hear(text, list, log),
    opened() {
      freshness.opened();
      bell.ring();
    },
    alive: freshness.alive,
  };
  const loop = async () => {
    await notices.listen(REVOKED, listener);
    while (!closed) {
      isWell = await load().then(
        () => true,
        (error: unknown) => {
          log[isWell ? "warn" : "debug"]({ err: error }, "the revocations cannot be asked for now");
          return false;
        },
      );
      await bell.rung(isWell ? reloadMs : Math.min(reloadMs, RETRY_MS));
    }
  };
  const ended = loop();

  return {
    check(token) {
      if (!freshness.isKnown()) {
        throw unavailable("it is not known which tokens are revoked");
      }
      list.check(token);
    },
    isKnown: freshness.isKnown,
    async close() {
      closed = true;
      bell.ring();
      await ended;
    },
  };
}

const RELOAD_MS = 15_000;
const RETRY_MS = 500;
const STALE_MS = 30_000;

/** Whether what was asked for and told since then is all there is. */
function createFreshness(clock: () => number) {
  // How often the channel opened, and how often it had when all was asked for: what was told in between may be lost.
  let openings = 0;
  let loadedOpenings: number | undefined;
  let knownAtMs = Number.NEGATIVE_INFINITY;
  return {
    opened() {
      openings += 1;
    },
    alive() {
      if (loadedOpenings === openings) {
        knownAtMs = clock();
      }
    },
    /** All is about to be asked for; the answer is called once that has been answered. */
    loading() {
      const [startedAtMs, seenOpenings] = [clock(), openings];
      return () => {
        loadedOpenings = seenOpenings;
        knownAtMs = startedAtMs;
      };
    },
    // A clock that was set back is no reason to trust what is old.
    isKnown: () => Math.abs(clock() - knownAtMs) < STALE_MS,
  };
}

function hear(text: string, list: RevocationList, log: Log): void {
  try {
    list.add(readRevocations(text));
  } catch (error) {
    log.warn({ err: error }, "a notice of revocations cannot be read");
  }
}
