import { type HousekeepingParts, startHousekeeping } from "@assistant/kit/database/housekeeping.js";
import type { Keyring } from "@assistant/kit/database/seal.js";
import type { Bus } from "@assistant/kit/events/bus.js";
import { consume } from "@assistant/kit/events/inbox.js";
import { eventHandlers } from "./event-handlers.js";
import { startLinkSweep } from "./links/link-sweep.js";
import { startResealing } from "./resealing.js";
import { startSessionSweep } from "./session-sweep.js";

export interface BackgroundParts extends HousekeepingParts {
  /** The service's name. */
  name: string;
  bus: Bus;
  keyring: Keyring;
  clock: () => number;
  signingKeyDays: number;
}

/** What identity does without being asked: sweeps, new keys in the place of old ones, and the events of others. */
export function startBackground({ name, db, bus, keyring, clock, signingKeyDays, log }: BackgroundParts) {
  const inbox = consume({ db, bus, consumer: name, handlers: eventHandlers(clock), log });
  const rounds = [
    startHousekeeping({ db, log }),
    startSessionSweep({ db, keyring, clock, log, signingKeyDays }),
    startLinkSweep({ db, log }),
    startResealing({ db, keyring, log }),
  ];
  return {
    async stop(): Promise<void> {
      await Promise.all([inbox, ...rounds].map((work) => work.stop()));
    },
  };
}
