import { openJetStreamBus } from "@assistant/kit/events/bus-jetstream.js";
import { openPostgresBus } from "@assistant/kit/events/bus-postgres.js";

// Short, so that what a killed process had in hand comes back soon.
const LEASE_MS = 300;

/**
 * @param {{ natsUrl?: string, busUrl?: string }} wiring
 * @param {import("@assistant/kit/process/log.js").Log} log
 */
export function openTestBus({ natsUrl, busUrl }, log) {
  if (natsUrl !== undefined) {
    return openJetStreamBus({ url: natsUrl, name: "notes", log, leaseMs: LEASE_MS });
  }
  if (busUrl === undefined) {
    throw new Error("which bus?");
  }
  return openPostgresBus({ url: busUrl, log, leaseMs: LEASE_MS });
}
