import type { RefusalCode } from "./protocol/refusal.js";

/** Why a sign-in or sign-out was refused that was understood: for audit and log only. */
export type RejectionReason =
  | RefusalCode
  // The way it came.
  | "form"
  | "cookie"
  | "code"
  // What it answers.
  | "request_unknown"
  | "relay_state"
  | "connection_unknown"
  | "connection_changed"
  | "replayed"
  // Whom it is about.
  | "email_missing"
  | "email_ambiguous"
  | "email_malformed"
  | "email_taken"
  | "user_unknown"
  | "user_disabled"
  | "user_not_in_org"
  | "user_of_another_org"
  | "user_is_platform_admin";

/** Ends a sign-in, and with it the transaction that it runs in. */
export function reject(reason: RejectionReason): never {
  throw Object.assign(new Error(`rejected: ${reason}`), { rejection: reason });
}

/** Why it was ended; undefined: by a failure of another kind. */
export function rejectionOf(error: unknown): RejectionReason | undefined {
  return isRejection(error) ? error.rejection : undefined;
}

function isRejection(error: unknown): error is Error & { rejection: RejectionReason } {
  return error instanceof Error && "rejection" in error;
}
