import type { Bus } from "./bus.js";
import { openJetStreamBus } from "./bus-jetstream.js";
import { openPostgresBus } from "./bus-postgres.js";
import type { Log } from "./log.js";

export interface EventBusOptions {
  natsUrl: string | undefined;
  /** Database of the built-in bus, where there is no NATS. */
  databaseUrl: string | undefined;
  name: string;
  log: Log;
}

/** NATS where there is one, else the built-in bus. */
export function openEventBus({ natsUrl, databaseUrl, name, log }: EventBusOptions): Bus {
  if (natsUrl !== undefined) return openJetStreamBus({ url: natsUrl, name, log });
  if (databaseUrl !== undefined) return openPostgresBus({ url: databaseUrl, log });
  throw new Error("the configuration is not usable:\n  NATS_URL or BUS_DATABASE_URL must be set");
}
