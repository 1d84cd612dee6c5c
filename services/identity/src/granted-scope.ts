import type { Role } from "@assistant/kit/caller/caller.js";
import { refused } from "@assistant/kit/wire/fault.js";
import { greatestRole, rolesUpTo } from "./rights.js";

/** What a token may do. */
export interface GrantedScope {
  role: Role;
  platformAdmin: boolean;
  /** The words of it, separated by spaces. */
  scope: string;
}

/**
 * What a client gets that asks for a scope: all that it holds if it asks for nothing, else the greatest role it asks
 * for. A scope is the word of a role, or `platform_admin` beside one.
 */
export function grantScope(asked: string | undefined, held: { role: Role; platformAdmin: boolean }): GrantedScope {
  if (asked === undefined) {
    return granted(held.role, held.platformAdmin);
  }
  const words = asked.split(" ");
  const roles = rolesUpTo(held.role).filter((role) => words.includes(role));
  const platformAdmin = held.platformAdmin && words.includes(PLATFORM_ADMIN);
  const known: readonly string[] = platformAdmin ? [...roles, PLATFORM_ADMIN] : roles;
  const role = greatestRole(roles);
  if (role === undefined || !words.every((word) => known.includes(word))) {
    throw refused("invalid_scope");
  }
  return granted(role, platformAdmin);
}

const PLATFORM_ADMIN = "platform_admin";

function granted(role: Role, platformAdmin: boolean): GrantedScope {
  return { role, platformAdmin, scope: platformAdmin ? `${role} ${PLATFORM_ADMIN}` : role };
}
