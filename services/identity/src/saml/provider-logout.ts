import { createHash } from "node:crypto";
import type { Request, Response } from "express";
import { originOfVisit } from "../http/visit.js";
import { endSessions } from "../sessions/ending.js";
import { findSamlConnection, type SamlConnectionRow } from "../store/saml-connections.js";
import { findSamlConnectionsOf } from "../store/saml-providers.js";
import { consumeSamlMessage, consumeSamlRequest, findOpenSamlRequest } from "../store/saml-requests.js";
import { isSecretOf } from "./browser-cookie.js";
import { type Attempt, type FlowParts, judged, ourselves, trustOf } from "./flow.js";
import { logoutResponse, newMessageId } from "./protocol/messages.js";
import type {
  LogoutMessage,
  LogoutRequest,
  LogoutResponse,
  Ourselves,
  Trust,
  UnverifiedLogout,
  Verdict,
} from "./protocol/protocol.js";
import { type RejectionReason, reject } from "./rejection.js";
import { sendMessage } from "./sending.js";

/** A logout message as it came by either binding. */
export interface IncomingLogout {
  read(): Promise<Verdict<UnverifiedLogout>>;
  verify(trust: Trust, us: Ourselves, nowMs: number): Promise<Verdict<LogoutMessage>>;
  /** What came beside it, where it is not signed with it. */
  relayState: string | undefined;
}

/** Takes what an identity provider says about the end of sessions: that they shall end, or that they have. */
export async function providerLogout(parts: FlowParts, request: Request, response: Response, incoming: IncomingLogout) {
  await judged(parts, request, response, async (attempt) => {
    const read = await incoming.read();
    if (!read.ok) {
      return reject(read.code);
    }
    if (read.value.kind === "SAMLRequest") {
      await endAsAsked(parts, request, response, { incoming, issuer: read.value.issuer, attempt });
    } else {
      await noteAnswer(parts, incoming, read.value, attempt);
      parts.pages.signedOut(request, response);
    }
  });
}

// Orgs that share a provider, of which each believes only the certificates that its own admin gave.
const CONNECTIONS_MAX = 20;

interface Asked {
  incoming: IncomingLogout;
  issuer: string;
  attempt: Attempt;
}

async function endAsAsked(parts: FlowParts, request: Request, response: Response, asked: Asked): Promise<void> {
  const { incoming, issuer, attempt } = asked;
  const us = await ourselves(parts);
  const candidates = await findSamlConnectionsOf(parts.db, issuer, CONNECTIONS_MAX);
  const believed: { connection: SamlConnectionRow; message: LogoutRequest }[] = [];
  let reason: RejectionReason = "connection_unknown";
  for (const connection of candidates) {
    const verdict = await incoming.verify(trustOf(connection), us, parts.clock());
    if (verdict.ok && verdict.value.kind === "SAMLRequest") {
      believed.push({ connection, message: verdict.value });
    } else if (!verdict.ok) {
      attempt.connection = connection;
      reason = verdict.code;
    }
  }
  const [first] = believed;
  if (first === undefined) {
    return reject(reason);
  }
  attempt.connection = first.connection;
  await endAll(parts, request, believed);
  await answerProvider(parts, request, response, first.connection, {
    inResponseTo: first.message.id,
    relayState: first.message.relayState ?? incoming.relayState,
  });
}

async function endAll(
  { db, relay }: FlowParts,
  request: Request,
  believed: readonly { connection: SamlConnectionRow; message: LogoutRequest }[],
): Promise<void> {
  await db.transaction(originOfVisit(request, ""), async (tx) => {
    for (const { connection, message } of believed) {
      const { id: connectionId, org_id: orgId } = connection;
      const hash = createHash("sha256")
        .update(JSON.stringify(["logout", message.id]))
        .digest();
      if (!(await consumeSamlMessage(tx, { connectionId, orgId, hash, expiresAt: message.validUntil }))) {
        return reject("replayed");
      }
      const indexes = message.sessionIndexes.length === 0 ? [undefined] : message.sessionIndexes;
      for (const sessionIndex of indexes) {
        await endSessions(tx, orgId, { connectionId, nameId: message.nameId, sessionIndex });
      }
    }
  });
  relay.wake();
}

async function answerProvider(
  parts: FlowParts,
  request: Request,
  response: Response,
  connection: SamlConnectionRow,
  { inResponseTo, relayState }: { inResponseTo: string; relayState: string | undefined },
): Promise<void> {
  const destination = connection.slo_response_url ?? connection.slo_url;
  if (destination === null) {
    parts.pages.signedOut(request, response);
    return;
  }
  const { clock, entityId } = parts;
  const head = { id: newMessageId(), issuer: entityId, destination, nowMs: clock() };
  const message = logoutResponse({ ...head, inResponseTo });
  await sendMessage(parts, request, response, { message, binding: connection.slo_binding, relayState });
}

/** An answer to a message of ours. The sessions here ended before that was sent; all there is to do is to say so. */
async function noteAnswer(parts: FlowParts, incoming: IncomingLogout, said: UnverifiedLogout, attempt: Attempt) {
  const { db, clock, log } = parts;
  const now = new Date(clock());
  const asked = await findOpenSamlRequest(db, said.inResponseTo ?? "", "logout", now);
  if (asked === undefined) {
    return reject("request_unknown");
  }
  const connection = await findSamlConnection(db, asked.org_id, asked.connection_id);
  attempt.connection = connection;
  if (connection === undefined) {
    return reject("connection_changed");
  }
  const verdict = await incoming.verify(trustOf(connection), await ourselves(parts), now.getTime());
  if (!verdict.ok) {
    return reject(verdict.code);
  }
  const message = answerTo(verdict.value, asked.id);
  if (!isSecretOf(message.relayState ?? incoming.relayState, asked.relay_hash)) {
    return reject("relay_state");
  }
  if (!(await consumeSamlRequest(db, asked.id, "logout", now))) {
    return reject("replayed");
  }
  if (!message.complete) {
    log.info({ connection_id: connection.id }, "an identity provider could not end all sessions of a user");
  }
}

function answerTo(message: LogoutMessage, requestId: string): LogoutResponse {
  return message.kind === "SAMLResponse" && message.inResponseTo === requestId ? message : reject("in_response_to");
}
