import type { Sql } from "@assistant/kit/database/postgres.js";
import type { Log } from "@assistant/kit/process/log.js";
import { findPlatformSettings } from "../store/platform-settings.js";

/** What the platform is called where nobody has said otherwise. */
export const BUILT_IN_NAME = "Assistant Platform";

/**
 * What the platform is called, for pages, which wait for nothing on its account: it is read beside them now and then,
 * and while the database is away the last one known stays.
 */
export function platformName(parts: { db: Sql; log: Log; clock?: () => number }): () => string {
  const { db, log, clock = Date.now } = parts;
  let known = BUILT_IN_NAME;
  let askedAtMs = Number.NEGATIVE_INFINITY;

  const ask = () => {
    askedAtMs = clock();
    findPlatformSettings(db).then(
      ({ name }) => {
        known = name;
      },
      (error: unknown) => log.debug({ err: error }, "the name of the platform cannot be read now"),
    );
  };
  ask();
  return () => {
    if (Math.abs(clock() - askedAtMs) >= REREAD_MS) {
      ask();
    }
    return known;
  };
}

const REREAD_MS = 10_000;
