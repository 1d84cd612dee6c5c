import type { Request, Response } from "express";
import { originOfVisit } from "../http/visit.js";
import { isFromOwnPage } from "../links/own-page.js";
import { endSessions } from "../sessions/ending.js";
import { clearedRefreshCookie, readRefreshCookie } from "../sessions/refresh-cookie.js";
import { refreshTokenHash } from "../sessions/refresh-token.js";
import { findSamlConnection, type SamlConnectionRow } from "../store/saml-connections.js";
import { insertSamlRequest } from "../store/saml-requests.js";
import { findSessionOfToken, type SamlSessionRow } from "../store/saml-sessions.js";
import { hashOf, newBrowserSecret } from "./browser-cookie.js";
import type { FlowParts } from "./flow.js";
import { logoutRequest, newMessageId } from "./protocol/messages.js";
import { sendMessage } from "./sending.js";
import { NAME_ID_FORMAT_URIS } from "./words.js";

/** Signs the browser out: here at once, whatever becomes of the message that then goes to the identity provider. */
export async function ownLogout(parts: FlowParts, request: Request, response: Response): Promise<void> {
  const { db, publicUrl, pages, relay } = parts;
  if (!isFromOwnPage(request, publicUrl)) {
    // Nobody else signs our users out.
    pages.failure(request, response, 403, "forbidden_origin");
    return;
  }
  const session = await sessionOf(parts, request);
  if (session !== undefined) {
    await db.transaction(originOfVisit(request, session.principal_id), (tx) =>
      endSessions(tx, session.org_id, { sessionId: session.id }),
    );
    relay.wake();
  }
  response.append("Set-Cookie", clearedRefreshCookie(publicUrl));
  const connection = session && (await connectionOf(parts, session));
  if (session?.name_id != null && connection?.enabled && connection.slo_url !== null) {
    await tellProvider(parts, request, response, connection, connection.slo_url, session);
  } else {
    pages.signedOut(request, response);
  }
}

const REQUEST_LIFETIME_MS = 600_000;

async function sessionOf({ db, publicUrl }: FlowParts, request: Request): Promise<SamlSessionRow | undefined> {
  const token = readRefreshCookie(request.get("cookie"), publicUrl);
  const hash = token === undefined ? undefined : refreshTokenHash(token);
  return hash === undefined ? undefined : findSessionOfToken(db, hash);
}

async function connectionOf({ db }: FlowParts, session: SamlSessionRow): Promise<SamlConnectionRow | undefined> {
  const { connection_id } = session;
  return connection_id === null ? undefined : findSamlConnection(db, session.org_id, connection_id);
}

async function tellProvider(
  parts: FlowParts,
  request: Request,
  response: Response,
  connection: SamlConnectionRow,
  destination: string,
  session: SamlSessionRow,
): Promise<void> {
  const { db, clock, entityId } = parts;
  const nowMs = clock();
  const id = newMessageId();
  const relayState = newBrowserSecret();
  await insertSamlRequest(db, {
    id,
    orgId: connection.org_id,
    connectionId: connection.id,
    purpose: "logout",
    configVersion: connection.config_version,
    relayHash: hashOf(relayState),
    returnTo: "/",
    // Whoever brings the answer: all that it does is to say that we are done.
    browserHash: hashOf(relayState),
    createdAt: new Date(nowMs),
    expiresAt: new Date(nowMs + REQUEST_LIFETIME_MS),
  });
  const message = logoutRequest({
    id,
    issuer: entityId,
    destination,
    nowMs,
    nameId: session.name_id ?? "",
    nameIdFormat: NAME_ID_FORMAT_URIS[connection.nameid_format] ?? undefined,
    sessionIndex: session.session_index ?? undefined,
  });
  await sendMessage(parts, request, response, { message, binding: connection.slo_binding, relayState });
}
