import { openNotices } from "../events/open-notices.js";
import type { Log } from "../process/log.js";
import type { Peer } from "../wire/dial.js";
import { type Revocations, watchRevocations } from "./revocations.js";

export interface OpenRevocationsOptions {
  /** The service whose process this is. */
  readonly name: string;
  /** Serves the CallersService. */
  readonly identity: Peer;
  readonly natsUrl?: string | undefined;
  /** The database of the built-in bus, for where there is no NATS. */
  readonly postgresUrl?: string | undefined;
  readonly log: Log;
}

/** The revocations as every process needs them, with the channel that the configuration names. */
export function openRevocations({ identity, log, ...channel }: OpenRevocationsOptions): Revocations {
  const notices = openNotices({ ...channel, log });
  const revocations = watchRevocations({ identity, notices, log });
  return {
    ...revocations,
    async close() {
      await revocations.close();
      await notices.close();
    },
  };
}
