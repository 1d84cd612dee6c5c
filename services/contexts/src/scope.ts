import type { Caller } from "@assistant/kit/caller/caller.js";
import { idPrefix } from "@assistant/kit/process/id.js";
import type { Scope } from "@assistant/proto/assistant/contexts/v1/scope.js";
import type { Visible } from "./store/visible.js";

/** What a caller may do with what is in a scope; whoever may write may read. */
export type Access = "none" | "read" | "write";

/** Who may do what in a scope of the caller's org. Guests know the use case of their session alone. */
export function accessTo(caller: Caller, scopeId: string): Access {
  if (caller.useCaseId !== undefined) {
    return scopeId === caller.useCaseId ? "read" : "none";
  }
  switch (kindOf(scopeId)) {
    case "org":
      if (scopeId !== caller.orgId) return "none";
      return caller.role === "member" ? "read" : "write";
    case "grp":
      if (caller.role === "admin" || caller.managedGroupIds.has(scopeId)) return "write";
      return caller.groupIds.has(scopeId) ? "read" : "none";
    case "usr":
      return scopeId === caller.principalId ? "write" : "none";
    case "uc":
      return caller.role === "member" ? "read" : "write";
    default:
      return "none";
  }
}

/** The scopes that the caller reads. */
export function visibleTo(caller: Caller): Visible {
  const isGuest = caller.useCaseId !== undefined;
  return {
    orgId: caller.orgId,
    scopeIds: ownScopes(caller),
    allGroups: caller.role === "admin" && !isGuest,
    allUseCases: !isGuest,
  };
}

/** The scopes whose contexts apply to the caller: an admin reads every group, but belongs to some. */
export function ownScopes(caller: Caller): string[] {
  if (caller.useCaseId !== undefined) return [caller.useCaseId];
  return [caller.orgId, ...caller.groupIds, caller.principalId];
}

/** The scopes whose categories may hold a context of a scope: its own and those around it. */
export function chainOf(caller: Caller, scopeId: string): string[] {
  switch (kindOf(scopeId)) {
    case "grp":
    case "uc":
      return [scopeId, caller.orgId];
    case "usr":
      return [scopeId, ...caller.groupIds, caller.orgId];
    default:
      return [scopeId];
  }
}

export function presentScope(scopeId: string): Scope {
  return { type: scopeType(scopeId), scope_id: scopeId };
}

function scopeType(scopeId: string): Scope["type"] {
  switch (kindOf(scopeId)) {
    case "org":
      return "SCOPE_TYPE_ORG";
    case "grp":
      return "SCOPE_TYPE_GROUP";
    case "usr":
      return "SCOPE_TYPE_USER";
    case "uc":
      return "SCOPE_TYPE_USE_CASE";
    default:
      return "SCOPE_TYPE_UNSPECIFIED";
  }
}

function kindOf(scopeId: string): string {
  return idPrefix(scopeId) ?? "unknown";
}
