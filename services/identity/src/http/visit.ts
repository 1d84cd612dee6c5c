import type { Origin } from "@assistant/kit/database/origin.js";
import type { Client } from "@assistant/kit/wire/call.js";
import { clientOf } from "@assistant/kit/wire/client.js";
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
    client: clientOf({ address: request.ip ?? "", userAgent: request.get("user-agent") ?? "" }),
  };
  visits.set(request, visit);
  return visit;
}

/** Who is behind a change that the request makes. */
export function originOfVisit(request: Request, actorId: string): Origin {
  const { requestId, traceparent } = visitOf(request);
  return { actorId, requestId, traceparent };
}

/** What the gateway did not send is made up, so it has to be remembered. */
const visits = new WeakMap<Request, Visit>();
