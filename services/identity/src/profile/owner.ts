import type { Caller } from "@assistant/kit/caller/caller.js";
import { denied } from "@assistant/kit/wire/fault.js";
import type { ProfileKey } from "../store/profiles.js";

/** Whose profile the caller has a say over: no guest has, since guests share an account. */
export function ownerOf({ orgId, principalId, useCaseId }: Caller): ProfileKey {
  if (useCaseId !== undefined) {
    throw denied();
  }
  return { orgId, principalId };
}

/** Of what happened to a shared account a guest sees the own session alone. Undefined: all sessions. */
export function sessionInSight({ useCaseId, sessionId }: Caller): string | undefined {
  return useCaseId === undefined ? undefined : sessionId;
}
