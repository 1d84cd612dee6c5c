import type { Tx } from "@assistant/kit/database/postgres.js";
import type { Request, Response } from "express";
import { GROUPS_MAX } from "../client.js";
import { grantScope } from "../granted-scope.js";
import { originOfVisit, visitOf } from "../http/visit.js";
import type { OpenedSession } from "../sessions/opening.js";
import { refreshCookie } from "../sessions/refresh-cookie.js";
import { type LoginCodeRow, takeLoginCode } from "../store/login-codes.js";
import { findUserPrincipal } from "../store/principals.js";
import { findSamlConnection, holdSamlConnection } from "../store/saml-connections.js";
import { hashOf, isSecretOf, readBrowserCookie } from "./browser-cookie.js";
import { type FlowParts, judged } from "./flow.js";
import { type RejectionReason, reject } from "./rejection.js";

/** Opens the session in the browser that began the sign-in, and in no other. */
export function samlComplete(parts: FlowParts) {
  return async (request: Request, response: Response): Promise<void> => {
    const { db, publicUrl, relay } = parts;
    const codes = new URL(request.originalUrl, publicUrl).searchParams.getAll("code");
    const [code] = codes;
    if (code === undefined || codes.length > 1) {
      parts.pages.failure(request, response, 400, "bad_request");
      return;
    }
    await judged(parts, request, response, async (attempt) => {
      const outcome = await db.transaction(originOfVisit(request, ""), async (tx) => {
        const row = await takeLoginCode(tx, hashOf(code));
        // Whatever becomes of it, the code is used up: no rejection may bring it back.
        return { row, ...(row === undefined ? { reason: "code" as const } : await open(parts, request, tx, row)) };
      });
      const { row, session, reason } = outcome;
      attempt.connection = row && (await findSamlConnection(db, row.org_id, row.connection_id));
      if (row === undefined || session?.refreshToken === undefined || session.refreshEndsAt === undefined) {
        return reject(reason ?? "code");
      }
      relay.wake();
      response.append("Set-Cookie", refreshCookie(publicUrl, session.refreshToken, session.refreshEndsAt));
      response.setHeader("Cache-Control", "no-store");
      response.redirect(303, row.return_to);
    });
  };
}

// A session that is over while it is opened is of no use to anybody.
const SHORTEST_MS = 5_000;

type Opened = { session?: OpenedSession; reason?: RejectionReason };

async function open(parts: FlowParts, request: Request, tx: Tx, row: LoginCodeRow): Promise<Opened> {
  const nowMs = parts.clock();
  if (row.expires_at.getTime() <= nowMs) {
    return { reason: "code" };
  }
  if (row.session_ends_at !== null && row.session_ends_at.getTime() < nowMs + SHORTEST_MS) {
    return { reason: "session_ended" };
  }
  if (!isSecretOf(readBrowserCookie(request.get("cookie"), parts.publicUrl), row.browser_hash)) {
    return { reason: "cookie" };
  }
  // Held, so that whoever turns the connection off finds all sessions that it opened.
  const connection = await holdSamlConnection(tx, row.org_id, row.connection_id);
  if (connection === undefined || !connection.enabled || connection.config_version !== row.config_version) {
    return { reason: "connection_changed" };
  }
  const principal = await findUserPrincipal(tx, row.org_id, row.user_id, GROUPS_MAX);
  if (principal === undefined) {
    return { reason: "user_disabled" };
  }
  if (principal.platform_admin) {
    return { reason: "user_is_platform_admin" };
  }
  const session = await parts.openSession(tx, {
    principal,
    granted: grantScope(undefined, { role: principal.role, platformAdmin: false }),
    amr: ["saml"],
    method: "saml",
    client: visitOf(request).client,
    connection: { id: connection.id, nameId: row.name_id, sessionIndex: row.session_index ?? undefined },
    endsAt: row.session_ends_at ?? undefined,
    refreshable: true,
  });
  return { session };
}
