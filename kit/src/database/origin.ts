import type { Call } from "../wire/call.js";

/** Who is behind a change, for its event. */
export interface Origin {
  readonly actorId: string;
  readonly requestId: string;
  readonly traceparent: string;
}

export function originOf({ caller, requestId, traceparent }: Call): Origin {
  return { actorId: caller.principalId, requestId, traceparent };
}

/** Who is behind work that no call asked for. */
export const nobody: Origin = { actorId: "", requestId: "", traceparent: "" };
