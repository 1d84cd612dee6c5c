import type { Caller, Role } from "@assistant/kit/caller/caller.js";
import { denied, missing } from "@assistant/kit/wire/fault.js";

/** Admins alone write, and read what is about other people. */
export function requireAdmin({ role }: Caller): void {
  if (role !== "admin") {
    throw denied();
  }
}

/** Admins read about every principal of their org, everybody else about themselves; others they do not know of. */
export function requireSight({ role, principalId }: Caller, subjectId: string): void {
  if (role !== "admin" && principalId !== subjectId) {
    throw missing();
  }
}

/** The caller's own org, and for platform admins every org; nobody else learns that it exists. */
export function requireOrgInSight({ orgId, platformAdmin }: Caller, subjectId: string): void {
  if (orgId !== subjectId && !platformAdmin) {
    throw missing();
  }
}

/** Manages the org: its admins, and the platform's. */
export function managesOrg({ role, platformAdmin }: Caller): boolean {
  return role === "admin" || platformAdmin;
}

/** An org's admin has no say over those who manage the platform. */
export function requireEqual({ platformAdmin }: Caller, subject: { platform_admin: boolean }): void {
  if (subject.platform_admin && !platformAdmin) {
    throw denied();
  }
}

/** The lesser of two roles. */
export function lesserRole(one: Role, other: Role): Role {
  return rank(one) < rank(other) ? one : other;
}

/** The greatest of some roles; undefined: of none. */
export function greatestRole(some: readonly Role[]): Role | undefined {
  return [...some].sort((one, other) => rank(other) - rank(one))[0];
}

/** A role and those below it. */
export function rolesUpTo(role: Role): Role[] {
  return ROLES.slice(0, rank(role) + 1);
}

// Each may do what those before it may.
const ROLES: readonly Role[] = ["member", "editor", "admin"];

function rank(role: Role): number {
  return ROLES.indexOf(role);
}
