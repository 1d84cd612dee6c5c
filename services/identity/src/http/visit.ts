import type { Origin } from "@assistant/kit/database/origin.js";
import type { Client } from "@assistant/kit/wire/call.js";
import { takeRequestId, takeTraceparent } from "@assistant/kit/wire/trace.js";
import type { Request } from "express";

/** What is known of a browser's request beside what it asks for. */
export interface Visit {
  readonly requestId: string;
  readonly traceparent: string;
  readonly client: Client;
}

/** The same answer for the same request, however often it is asked. */
export function visitOf(request: Request): Visit {
  const known = visits.get(request);
  if (known !== undefined) return known;
  const visit = {
    requestId: takeRequestId(request.get("x-request-id")),
    traceparent: takeTraceparent(request.get("traceparent")),
    client: { address: request.ip ?? "", userAgent: (request.get("user-agent") ?? "").slice(0, USER_AGENT_LENGTH_MAX) },
  };
  visits.set(request, visit);
  return visit;
}

/** Who is behind a change that the request makes. */
export function originOfVisit(request: Request, actorId: string): Origin {
  const { requestId, traceparent } = visitOf(request);
  return { actorId, requestId, traceparent };
}

const USER_AGENT_LENGTH_MAX = 512;

/** What the gateway did not send is made up, so it has to be remembered. */
const visits = new WeakMap<Request, Visit>();
