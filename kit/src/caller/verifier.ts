import { createHash } from "node:crypto";
import { CallersServiceService } from "@assistant/proto/assistant/common/v1/callers.js";
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import type { Log } from "../process/log.js";
import type { Call } from "../wire/call.js";
import type { Peer } from "../wire/dial.js";
import { unauthenticated } from "../wire/fault.js";
import { anonymous, type Caller } from "./caller.js";
import { readClaims } from "./claims.js";
import { createKeySet } from "./keys.js";
import type { Revocations } from "./revocations.js";

/** Turns access tokens into callers. */
export interface Verifier {
  /** Throws a Fault: unauthenticated, or unavailable while keys or revocations are not known. */
  verify(token: string, about: Pick<Call, "requestId" | "traceparent">): Promise<Caller>;
}

export interface VerifierOptions {
  /** Serves the CallersService. */
  readonly identity: Peer;
  readonly revocations: Revocations;
  readonly issuer: string;
  readonly audience: string;
  readonly clock?: () => number;
  readonly log?: Log;
}

/** A verifier that asks identity for keys when it must and remembers what it verified; revocations count every time. */
export function createVerifier(options: VerifierOptions): Verifier {
  const { identity, revocations, issuer, audience, clock = Date.now, log } = options;
  const keys = createKeySet(identity, clock, log);
  const known = new LRUCache<string, Known>({ max: KNOWN_MAX });
  const pending = new Map<string, Promise<Known>>();

  const learn = async (digest: string, token: string, about: Pick<Call, "requestId" | "traceparent">) => {
    const claims = await readToken(token, keys.find, { issuer, audience, nowMs: clock() });
    const { caller, epoch, groupsElsewhere } = readClaims(claims);
    const complete = groupsElsewhere ? await withGroups(identity, caller, token, about) : caller;
    // The token stays out of what is remembered: a heap dump should hold no bearer longer than its call.
    const fresh = { caller: complete, epoch, expiresAtMs: expiryMs(claims) };
    known.set(digest, fresh);
    return fresh;
  };

  return {
    async verify(token, about) {
      if (token.length > TOKEN_MAX) {
        throw unauthenticated("the token is too large");
      }
      const digest = createHash("sha256").update(token).digest("base64");
      const hit = known.get(digest);
      if (hit !== undefined && clock() < hit.expiresAtMs) {
        revocations.check(hit);
        return { ...hit.caller, token };
      }
      // Calls that bring the same new token at once wait for one verification.
      const running = pending.get(digest) ?? learn(digest, token, about).finally(() => pending.delete(digest));
      pending.set(digest, running);
      const fresh = await running;
      revocations.check(fresh);
      return { ...fresh.caller, token };
    },
  };
}

interface Known {
  readonly caller: Caller;
  readonly epoch: number;
  readonly expiresAtMs: number;
}

const TOKEN_MAX = 8_192;
const KNOWN_MAX = 10_000;
const CLOCK_TOLERANCE_S = 5;
// No token is good for longer. Revocations are kept for little more, and a token from the future would outlive them.
const LIFETIME_S = 600;
const ASK_MS = 2_000;

interface Expected {
  issuer: string;
  audience: string;
  nowMs: number;
}

async function readToken(token: string, findKey: JWTVerifyGetKey, expected: Expected): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, findKey, {
      issuer: expected.issuer,
      audience: expected.audience,
      typ: "at+jwt",
      algorithms: ["ES256"],
      clockTolerance: CLOCK_TOLERANCE_S,
      maxTokenAge: LIFETIME_S,
      requiredClaims: ["sub", "org", "sid", "jti", "exp", "iat", "ep"],
      currentDate: new Date(expected.nowMs),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) {
      throw unauthenticated(error.message);
    }
    throw error;
  }
}

function expiryMs(claims: JWTPayload): number {
  return (claims.exp ?? 0) * 1_000;
}

// A caller in more groups than a token carries: identity knows them, and is asked once per token.
async function withGroups(
  identity: Peer,
  caller: Caller,
  token: string,
  about: Pick<Call, "requestId" | "traceparent">,
): Promise<Caller> {
  const answer = await identity.call(CallersServiceService.getCaller, {}, askingCall({ ...caller, token }, about));
  return { ...caller, groupIds: new Set(answer.group_ids), managedGroupIds: new Set(answer.managed_group_ids) };
}

// Several calls may wait for the answer, so it has a deadline of its own and not that of the first to ask.
function askingCall(caller: Caller, about: Pick<Call, "requestId" | "traceparent">): Call {
  return {
    rpc: CallersServiceService.getCaller.path,
    caller: { ...anonymous, ...caller },
    deadlineMs: Date.now() + ASK_MS,
    signal: AbortSignal.timeout(ASK_MS),
    requestId: about.requestId,
    traceparent: about.traceparent,
    reply: {},
  };
}
