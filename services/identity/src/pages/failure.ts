import type { Request, Response } from "express";
import { visitOf } from "../http/visit.js";

/** Why there is no page. */
export type FailureReason =
  | "login_failed"
  | "link_invalid"
  | "too_many"
  | "unavailable"
  | "bad_request"
  | "forbidden_origin"
  | "not_found"
  | "internal";

/** Whether the failure is shown to somebody rather than read by a program. */
export function prefersHtml(request: Request): boolean {
  return request.accepts("application/json", "text/html") === "text/html";
}

/** The one error body of the platform. */
export function answerFailure(
  request: Request,
  response: Response,
  status: number,
  reason: FailureReason,
  waitS: number | undefined,
): void {
  const { requestId } = visitOf(request);
  const { type, loc, msg } = SIZES[status] ?? DETAILS[reason];
  const waiting = waitS === undefined ? {} : { retry_after: waitS };
  const named = status >= 500 ? { request_id: requestId } : {};
  const detail = [{ type, loc, msg, input: null, ctx: { ...waiting, ...named } }];
  // By name, for Express would add a character set that JSON does not have.
  response.setHeader("Content-Type", "application/json");
  response.status(status).end(JSON.stringify({ detail }));
}

/** Seconds after which another try makes sense, where nothing more is known; undefined: none does. */
export function retryAfterS(reason: FailureReason): number | undefined {
  return DETAILS[reason].retryAfterS;
}

interface Detail {
  readonly type: string;
  readonly loc: readonly string[];
  readonly msg: string;
  readonly retryAfterS?: number;
}

const DETAILS: Readonly<Record<FailureReason, Detail>> = {
  login_failed: { type: "saml_login_failed", loc: [], msg: "Login failed" },
  link_invalid: { type: "invalid_grant", loc: ["body", "token"], msg: "Invalid grant" },
  too_many: { type: "rate_limited", loc: [], msg: "Too Many Requests", retryAfterS: 60 },
  unavailable: { type: "unavailable", loc: [], msg: "Service Unavailable", retryAfterS: 1 },
  bad_request: { type: "bad_request", loc: ["body"], msg: "There was an error parsing the body" },
  forbidden_origin: { type: "forbidden", loc: ["header", "origin"], msg: "Not permitted" },
  not_found: { type: "not_found", loc: ["path"], msg: "Not Found" },
  internal: { type: "internal", loc: [], msg: "Internal Server Error" },
};

/** These say more than the reason does. */
const SIZES: Readonly<Record<number, Detail>> = {
  413: { type: "payload_too_large", loc: ["body"], msg: "Payload Too Large" },
  415: { type: "unsupported_media_type", loc: ["header", "content-type"], msg: "Unsupported Media Type" },
};
