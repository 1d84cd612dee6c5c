import type { Tx } from "@assistant/kit/database/postgres.js";
import { idPrefix } from "@assistant/kit/process/id.js";
import type { Call } from "@assistant/kit/wire/call.js";
import type { Peer } from "@assistant/kit/wire/dial.js";
import { denied, Fault } from "@assistant/kit/wire/fault.js";
import { IdentityServiceService } from "@assistant/proto/assistant/identity/v1/service.js";
import { type Access, accessTo } from "./scope.js";
import { type KnownUseCase, noteUseCase } from "./store/use-cases.js";
import { askUseCase } from "./use-cases.js";

/** Who knows what a scope names. */
export interface Owners {
  identity: Peer;
  catalog: Peer;
}

/** The scope that a request names, and what the caller may do in it: nothing where it names none of the org. */
export interface NamedScope {
  access: Access;
  /** As catalog tells it, if it is one. */
  useCase?: KnownUseCase | undefined;
}

/** Asks whose thing it is that a request names as a scope, before any transaction. */
export async function askScope(call: Call, scopeId: string, { identity, catalog }: Owners): Promise<NamedScope> {
  const access = accessTo(call.caller, scopeId);
  if (access === "none") return { access };
  if (idPrefix(scopeId) === "uc") {
    const useCase = await askUseCase(call, scopeId, catalog);
    return useCase === undefined ? { access: "none" } : { access, useCase };
  }
  // An admin's rights hold for every group of the org, and only identity knows which ids are groups of the org.
  const isCertain = idPrefix(scopeId) !== "grp" || call.caller.groupIds.has(scopeId);
  return isCertain || (await isGroup(call, scopeId, identity)) ? { access } : { access: "none" };
}

/**
 * Whether the caller may write in the scope now that the transaction is open; its use case is held until the end of
 * that. Throws if they may know of the scope but not write in it.
 */
export async function enterScope(tx: Tx, { access, useCase }: NamedScope): Promise<boolean> {
  const isThere = useCase === undefined || (await noteUseCase(tx, useCase));
  if (isThere) refuseReaders(access);
  return isThere && access === "write";
}

/** Throws if the caller may know of the scope but not write in it. */
export function refuseReaders(access: Access): void {
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
