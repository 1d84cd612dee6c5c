import { anonymous } from "@assistant/kit/caller/caller.js";
import type { Revocations } from "@assistant/kit/caller/revocations.js";
import type { Peer } from "@assistant/kit/wire/dial.js";
import { newTraceparent } from "@assistant/kit/wire/trace.js";
import { HealthService } from "@assistant/proto/grpc/health/v1/health.js";
import type { Rates } from "./rates.js";

/** What `/readyz` answers. */
export interface Readiness {
  /** `degraded`: everything is answered, though not everything works as well as it could. */
  readonly status: "ready" | "degraded" | "unready";
  readonly checks: Readonly<Record<string, "ready" | "degraded" | "unready">>;
}

export interface Health {
  readiness(): Promise<Readiness>;
  /** From now on this replica is to get no more work. */
  drain(): void;
}

/**
 * The gateway is ready when all services are that it forwards to, and it knows which tokens are revoked. Without Redis
 * it still is.
 */
export function createHealth(peers: readonly Peer[], rates: Rates, revocations: Revocations): Health {
  let isDraining = false;
  let known: { readonly readiness: Promise<Readiness>; readonly untilMs: number } | undefined;
  return {
    async readiness() {
      if (isDraining) return { status: "unready", checks: { gateway: "unready" } };
      // Anybody may ask, so asking often must not become a load on the services.
      if (known === undefined || Date.now() >= known.untilMs) {
        known = { readiness: check(peers, rates, revocations), untilMs: Date.now() + KEPT_MS };
      }
      return known.readiness;
    },
    drain: () => {
      isDraining = true;
    },
  };
}

const KEPT_MS = 250;
const CHECK_MS = 1_000;

async function check(peers: readonly Peer[], rates: Rates, revocations: Revocations): Promise<Readiness> {
  const answers = await Promise.all(peers.map(isReady));
  const checks = Object.fromEntries(peers.map(({ name }, at) => [name, answers[at] ? "ready" : "unready"] as const));
  const isDegraded = rates.isDegraded();
  const isKnown = revocations.isKnown();
  const status = answers.includes(false) || !isKnown ? "unready" : isDegraded ? "degraded" : "ready";
  const own = { rates: isDegraded ? "degraded" : "ready", revocations: isKnown ? "ready" : "unready" } as const;
  return { status, checks: { ...checks, ...own } };
}

async function isReady(peer: Peer): Promise<boolean> {
  const call = {
    rpc: HealthService.check.path,
    caller: anonymous,
    deadlineMs: Date.now() + CHECK_MS,
    signal: AbortSignal.timeout(CHECK_MS),
    requestId: "readiness",
    traceparent: newTraceparent(),
    reply: {},
  };
  // Whatever keeps it from saying that it is ready, it is not.
  const answer = await peer.call(HealthService.check, { service: "ready" }, call).catch(() => undefined);
  return answer?.status === "SERVING";
}
