import { idPrefix } from "@assistant/kit/process/id.js";
import type { Call } from "@assistant/kit/wire/call.js";
import type { Peer } from "@assistant/kit/wire/dial.js";
import { denied, Fault, missing } from "@assistant/kit/wire/fault.js";
import { IdentityServiceService } from "@assistant/proto/assistant/identity/v1/service.js";
import { type Access, accessTo } from "./scope.js";

/**
 * What the caller may do in the scope that a request names: nothing where it names none of the org. Asks before any
 * transaction.
 */
export async function accessToNamed(call: Call, scopeId: string, identity: Peer): Promise<Access> {
  const access = accessTo(call.caller, scopeId);
  // An admin's rights hold for every group of the org, and only identity knows which ids are groups of the org.
  const isCertain = access === "none" || idPrefix(scopeId) !== "grp" || call.caller.groupIds.has(scopeId);
  return isCertain || (await isGroup(call, scopeId, identity)) ? access : "none";
}

/** Throws if the caller may know of the scope but not write in it. Nothing is kept for use cases yet. */
export function refuseReaders(scopeId: string, access: Access): void {
  if (idPrefix(scopeId) === "uc") throw missing();
  if (access === "read") throw denied(["scope_id"]);
}

async function isGroup(call: Call, groupId: string, identity: Peer): Promise<boolean> {
  try {
    await identity.call(IdentityServiceService.getGroup, { group_id: groupId }, call);
    return true;
  } catch (error) {
    if (error instanceof Fault && error.kind === "missing") return false;
    throw error;
  }
}
