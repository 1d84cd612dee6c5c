import type { Log } from "../process/log.js";
import type { Bus } from "./bus.js";
import { openJetStreamBus } from "./bus-jetstream.js";
import { openPostgresBus } from "./bus-postgres.js";

export interface BusOptions {
  /** The service whose process this is. */
  readonly name: string;
  readonly natsUrl?: string | undefined;
  /** The database of the built-in bus, for where there is no NATS. */
  readonly postgresUrl?: string | undefined;
  readonly log: Log;
}

/** The bus that the configuration names: NATS where there is one, else the built-in bus. */
export function openBus({ name, natsUrl, postgresUrl, log }: BusOptions): Bus {
  if (natsUrl !== undefined) {
    return openJetStreamBus({ url: natsUrl, name, log });
  }
  if (postgresUrl !== undefined) {
    return openPostgresBus({ url: postgresUrl, log });
  }
  throw new Error("NATS_URL or BUS_DATABASE_URL must be set");
}
