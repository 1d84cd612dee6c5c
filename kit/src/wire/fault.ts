import type { Violation } from "../rules/violation.js";
import { violation } from "../rules/violation.js";

/** The ways in which a call can fail. The kind alone decides the gRPC and the HTTP status. */
export type FaultKind =
  | "invalid"
  | "unsupported"
  | "large"
  | "unauthenticated"
  | "denied"
  | "missing"
  | "conflict"
  | "stale"
  | "exhausted"
  | "unavailable"
  | "late"
  | "upstream"
  | "internal"
  | "refused";

interface FaultDetails {
  violations?: readonly Violation[];
  retryAfterS?: number;
  description?: string | undefined;
  cause?: unknown;
}

/** Why a call failed. `message` and `cause` are only for the log, all else is for the client. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly kind: FaultKind;
  readonly violations: readonly Violation[];
  readonly retryAfterS: number | undefined;
  readonly description: string | undefined;

  constructor(kind: FaultKind, message: string, details: FaultDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.violations = details.violations ?? [];
    this.retryAfterS = details.retryAfterS;
    this.description = details.description;
  }
}

/** The request breaks rules. */
export function invalid(...violations: Violation[]): Fault {
  return new Fault("invalid", "the request breaks a rule", { violations });
}

/** There is no such thing, or none that the caller may know of. */
export function missing(): Fault {
  return new Fault("missing", "not found");
}

/** The caller may know of the thing but may not do this; `path` names the field that asks too much. */
export function denied(path: readonly string[] = []): Fault {
  return new Fault("denied", "not permitted", { violations: [violation(path, "forbidden", "Not permitted")] });
}

export function unauthenticated(reason: string): Fault {
  return new Fault("unauthenticated", reason);
}

export type ConflictReason = "id_taken" | "name_taken" | "in_flight" | "state";

/** The current state forbids it; `path` names the field in the way, empty: the thing itself. */
export function conflict(reason: ConflictReason, path: readonly string[] = []): Fault {
  const text = "Conflict with the current state";
  return new Fault("conflict", reason, { violations: [violation(path, "conflict", text, { reason })] });
}

/** `If-Match` names another version. */
export function stale(): Fault {
  return new Fault("stale", "the version does not match");
}

export function exhausted(retryAfterS: number): Fault {
  return new Fault("exhausted", "too many requests", { retryAfterS });
}

/** A part of the platform is down or full. */
export function unavailable(message: string, cause?: unknown, retryAfterS = 1): Fault {
  return new Fault("unavailable", message, { cause, retryAfterS });
}

export function late(message = "the deadline passed"): Fault {
  return new Fault("late", message);
}

export function internal(cause: unknown): Fault {
  return new Fault("internal", "unexpected failure", { cause });
}

/**
 * A token request is refused with one of the names of RFC 6749. `description` says what is wrong with its form; of what
 * it was to prove nobody is told more than the name.
 */
export function refused(error: string, description?: string): Fault {
  const text = `${error.charAt(0).toUpperCase()}${error.slice(1)}`.replaceAll("_", " ");
  return new Fault("refused", error, { violations: [violation([], error, text)], description });
}
