import { CallersServiceService, type JsonWebKey } from "@assistant/proto/assistant/common/v1/callers.js";
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from "jose";
import type { Log } from "../process/log.js";
import type { Call } from "../wire/call.js";
import type { Peer } from "../wire/dial.js";
import { newTraceparent, takeRequestId } from "../wire/trace.js";
import { anonymous } from "./caller.js";

/** The public keys of identity, fetched at the first use, again for an unknown key id, and now and then. */
export interface KeySet {
  /** Finds the key of a token; throws what jose throws for an unknown one, or the Fault of asking identity. */
  readonly find: JWTVerifyGetKey;
}

export function createKeySet(identity: Peer, clock: () => number, log?: Log): KeySet {
  let known: { readonly find: JWTVerifyGetKey; readonly fetchedAtMs: number } | undefined;
  let fetching: Promise<JWTVerifyGetKey> | undefined;

  const fetchKeys = async () => {
    const { keys } = await identity.call(CallersServiceService.getKeys, {}, askingCall());
    const find = createLocalJWKSet({ keys: keys.filter(isOurs).map((key) => ({ ...key })) });
    known = { find, fetchedAtMs: clock() };
    return find;
  };
  const refresh = () => {
    fetching ??= fetchKeys().finally(() => {
      fetching = undefined;
    });
    return fetching;
  };
  const isOlderThan = (ageMs: number) => known === undefined || Math.abs(clock() - known.fetchedAtMs) >= ageMs;
  const current = () => {
    if (known === undefined) {
      return refresh();
    }
    if (isOlderThan(REFRESH_MS)) {
      // Keys taken out of service must stop counting even where no new one makes us look. Nobody waits for it: while
      // identity is away the known ones hold.
      refresh().catch((error: unknown) => log?.warn({ err: error }, "the keys could not be refreshed"));
    }
    return known.find;
  };

  return {
    async find(header, token) {
      try {
        return await (await current())(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || !isOlderThan(REFETCH_MS)) {
          throw error;
        }
        return (await refresh())(header, token);
      }
    },
  };
}

const REFETCH_MS = 30_000;
const REFRESH_MS = 600_000;
const ASK_MS = 2_000;

function isOurs(key: JsonWebKey): boolean {
  return key.kty === "EC" && key.crv === "P-256" && key.alg === "ES256" && key.use === "sig";
}

// All who wait share the answer, so it has a deadline of its own.
function askingCall(): Call {
  return {
    rpc: CallersServiceService.getKeys.path,
    caller: anonymous,
    deadlineMs: Date.now() + ASK_MS,
    signal: AbortSignal.timeout(ASK_MS),
    requestId: takeRequestId(undefined),
    traceparent: newTraceparent(),
    reply: {},
  };
}
