import type { Revocations as Told } from "@assistant/proto/assistant/common/v1/callers.js";
import { REVOKED, writeRevocations } from "../caller/revocation-notice.js";
import { type Revocations, watchRevocations } from "../caller/revocations.js";
import { openNotices } from "../events/open-notices.js";
import type { Log } from "../process/log.js";
import type { Peer } from "../wire/dial.js";
import { until } from "./until.js";

/** Ends a session, or raises the epoch of a principal; a test identity's tokens say 1. */
export type Revoked = { sessionId: string } | { principalId: string; minEpoch: number };

/** The revocations of a test identity: listed, told over real notices, and watched. */
export function testRevocations({ postgresUrl, log }: { postgresUrl: string; log: Log }) {
  const listed: Told = { sessions: [], principals: [] };
  const notices = openNotices({ name: "identity", postgresUrl, log });
  return {
    listed,
    async watch(identity: Peer): Promise<Revocations> {
      const revocations = watchRevocations({ identity, notices, log });
      await until(() => revocations.isKnown());
      return revocations;
    },
    async revoke(revoked: Revoked): Promise<void> {
      const told = toldOf(revoked);
      listed.sessions.push(...told.sessions);
      listed.principals.push(...told.principals);
      await notices.tell(REVOKED, writeRevocations(told));
    },
    close: () => notices.close(),
  };
}

const KEPT_MS = 660_000;

function toldOf(revoked: Revoked): Told {
  const expires_at = new Date(Date.now() + KEPT_MS);
  return "sessionId" in revoked
    ? { sessions: [{ id: revoked.sessionId, expires_at }], principals: [] }
    : { sessions: [], principals: [{ id: revoked.principalId, min_epoch: revoked.minEpoch, expires_at }] };
}
