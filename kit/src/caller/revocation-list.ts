import type { Revocations } from "@assistant/proto/assistant/common/v1/callers.js";
import { unauthenticated } from "../wire/fault.js";
import type { Caller } from "./caller.js";

/** What is asked of a token, once it is verified. */
export interface TokenOfCaller {
  readonly caller: Pick<Caller, "sessionId" | "principalId">;
  readonly epoch: number;
}

/**
 * Sessions that ended and principals whose rights changed. Entries only add up until they expire, so it does not matter
 * in which order they come, or how often.
 */
export interface RevocationList {
  add(revocations: Revocations): void;
  /** Throws the Fault unauthenticated for a token that does not hold. */
  check(token: TokenOfCaller): void;
  forgetExpired(): void;
}

export function createRevocationList(clock: () => number): RevocationList {
  const sessions = new Map<string, number>();
  const principals = new Map<string, { readonly minEpoch: number; readonly expiresAtMs: number }>();

  return {
    add(revocations) {
      const latestMs = clock() + KEPT_MAX_MS;
      for (const { id, expires_at } of revocations.sessions) {
        sessions.set(id, Math.max(sessions.get(id) ?? 0, earlier(expires_at, latestMs)));
      }
      for (const { id, min_epoch, expires_at } of revocations.principals) {
        const known = principals.get(id) ?? { minEpoch: 0, expiresAtMs: 0 };
        principals.set(id, {
          minEpoch: Math.max(known.minEpoch, min_epoch),
          expiresAtMs: Math.max(known.expiresAtMs, earlier(expires_at, latestMs)),
        });
      }
    },
    check({ caller, epoch }) {
      if (sessions.has(caller.sessionId)) {
        throw unauthenticated("the session has ended");
      }
      const known = principals.get(caller.principalId);
      if (known !== undefined && epoch < known.minEpoch) {
        throw unauthenticated("the rights of the caller have changed since");
      }
    },
    forgetExpired() {
      const nowMs = clock();
      removeWhere(sessions, (expiresAtMs) => expiresAtMs <= nowMs);
      removeWhere(principals, ({ expiresAtMs }) => expiresAtMs <= nowMs);
    },
  };
}

// Longer than any token lives, whatever the clocks say: what came with a mistaken time does not stay for ever.
const KEPT_MAX_MS = 3_600_000;

function earlier(time: Date | undefined, latestMs: number): number {
  const timeMs = time?.getTime() ?? latestMs;
  // What lies too far off is no time any more.
  return Number.isNaN(timeMs) ? latestMs : Math.min(timeMs, latestMs);
}

function removeWhere<Value>(entries: Map<string, Value>, isOver: (value: Value) => boolean): void {
  for (const [id, value] of entries) {
    if (isOver(value)) {
      entries.delete(id);
    }
  }
}
