import type { JWTPayload } from "jose";
import { idPrefix } from "../process/id.js";
import { unauthenticated } from "../wire/fault.js";
import type { Caller, Role } from "./caller.js";

/** What the claims of a verified token say. */
export interface Told {
  readonly caller: Caller;
  /** Counts the changes of the caller's rights up to then. */
  readonly epoch: number;
  /** The caller is in more groups than the token could carry. */
  readonly groupsElsewhere: boolean;
}

/** The caller that the claims of a verified token describe; one of another form is the token of another release. */
export function readClaims(claims: JWTPayload): Told {
  const principalId = text(claims, "sub");
  const useCaseId = claims.uc === undefined ? undefined : text(claims, "uc");
  const epoch = claims.ep;
  if (typeof epoch !== "number" || !Number.isSafeInteger(epoch)) {
    throw unreadable("ep");
  }
  const caller: Caller = {
    principalId,
    kind: kindOf(principalId),
    orgId: text(claims, "org"),
    sessionId: text(claims, "sid"),
    role: roleOf(claims),
    platformAdmin: claims.pa === true,
    groupIds: new Set(texts(claims, "grp")),
    managedGroupIds: new Set(texts(claims, "gmgr")),
    ...(useCaseId === undefined ? {} : { useCaseId }),
    scopes: claims.scope === undefined ? [] : text(claims, "scope").split(" "),
    token: "",
  };
  return { caller, epoch, groupsElsewhere: claims.grp_more === true };
}

const ROLES: readonly Role[] = ["admin", "editor", "member"];

const KINDS: ReadonlyMap<string, Caller["kind"]> = new Map([
  ["usr", "user"],
  ["sva", "service_account"],
]);

function kindOf(principalId: string): Caller["kind"] {
  const kind = KINDS.get(idPrefix(principalId) ?? "");
  if (kind === undefined) {
    throw unreadable("sub");
  }
  return kind;
}

function roleOf(claims: JWTPayload): Role {
  const role = ROLES.find((candidate) => candidate === claims.role);
  if (role === undefined) {
    throw unreadable("role");
  }
  return role;
}

function text(claims: JWTPayload, name: string): string {
  const value = claims[name];
  if (typeof value !== "string" || value === "") {
    throw unreadable(name);
  }
  return value;
}

function texts(claims: JWTPayload, name: string): string[] {
  const value = claims[name] ?? [];
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) {
    throw unreadable(name);
  }
  return value;
}

function unreadable(name: string) {
  return unauthenticated(`the claim ${name} is missing or of another form`);
}
