import type { Role } from "@assistant/kit/caller/caller.js";
import { refused } from "@assistant/kit/wire/fault.js";
import { greatestRole, lesserRole, rolesUpTo } from "./rights.js";

/** What a token may do. */
export interface GrantedScope {
  role: Role;
  platformAdmin: boolean;
  /** The words of it, separated by spaces. */
  scope: string;
}

/** What somebody may do at most. */
export interface HeldScope {
  role: Role;
  platformAdmin: boolean;
}

/**
 * What a client gets that asks for a scope: all that it holds if it asks for nothing, else the greatest role it asks
 * for. A scope is the word of a role, or `platform_admin` beside one.
 */
export function grantScope(asked: string | undefined, held: HeldScope): GrantedScope {
  if (asked === undefined) {
    return granted(held.role, held.platformAdmin);
  }
  const words = asked.split(" ");
  const roles = rolesUpTo(held.role).filter((role) => words.includes(role));
  const platformAdmin = held.platformAdmin && words.includes(PLATFORM_ADMIN);
  const fitting: readonly string[] = platformAdmin ? [...roles, PLATFORM_ADMIN] : roles;
  const role = greatestRole(roles);
  if (role === undefined || !words.every((word) => fitting.includes(word))) {
    throw refused("invalid_scope", whatIsWrong(words, fitting));
  }
  return granted(role, platformAdmin);
}

/** What is left of what somebody holds now for a session that was granted less. */
export function heldWithin(scope: string, { role, platformAdmin }: HeldScope): HeldScope {
  const words = scope.split(" ");
  const granted = greatestRole(rolesUpTo("admin").filter((word) => words.includes(word)));
  return {
    role: granted === undefined ? role : lesserRole(role, granted),
    platformAdmin: platformAdmin && words.includes(PLATFORM_ADMIN),
  };
}

const PLATFORM_ADMIN = "platform_admin";
const WORDS: readonly string[] = [...rolesUpTo("admin"), PLATFORM_ADMIN].sort();

function whatIsWrong(words: readonly string[], fitting: readonly string[]): string {
  if (!words.every((word) => WORDS.includes(word))) {
    return `scope must be among ${WORDS.join(", ")}`;
  }
  return words.every((word) => fitting.includes(word))
    ? `scope must name a role beside ${PLATFORM_ADMIN}`
    : "the scope exceeds what the client holds";
}

function granted(role: Role, platformAdmin: boolean): GrantedScope {
  return { role, platformAdmin, scope: platformAdmin ? `${role} ${PLATFORM_ADMIN}` : role };
}
