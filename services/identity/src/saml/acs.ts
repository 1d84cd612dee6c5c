import { randomBytes } from "node:crypto";
import type { Request, Response } from "express";
import { originOfVisit } from "../http/visit.js";
import { insertLoginCode } from "../store/login-codes.js";
import { findSamlConnection, holdSamlConnection, type SamlConnectionRow } from "../store/saml-connections.js";
import { findUnaskedSamlConnection } from "../store/saml-providers.js";
import {
  consumeSamlMessage,
  consumeSamlRequest,
  findOpenSamlRequest,
  type SamlRequestRow,
} from "../store/saml-requests.js";
import { browserCookie, hashOf, isSecretOf, newBrowserSecret } from "./browser-cookie.js";
import { type Attempt, type FlowParts, judged, ourselves, trustOf } from "./flow.js";
import { formField } from "./form.js";
import type { VerifiedAssertion } from "./protocol/protocol.js";
import { provision } from "./provisioning.js";
import { reject } from "./rejection.js";

/**
 * Takes the answer of an identity provider. Another site sends it, so the browser brings no cookie that would say whose
 * sign-in this is: it is led on to where it does.
 */
export function samlAcs(parts: FlowParts) {
  return async (request: Request, response: Response): Promise<void> => {
    const samlResponse = formField(request, "SAMLResponse");
    if (samlResponse === undefined) {
      parts.pages.failure(request, response, 400, "bad_request");
      return;
    }
    await judged(parts, request, response, async (attempt) => {
      const answer = { samlResponse, relayState: formField(request, "RelayState") };
      const { code, browserSecret } = await takeAnswer(parts, request, answer, attempt);
      if (browserSecret !== undefined) {
        response.append("Set-Cookie", browserCookie(parts.publicUrl, browserSecret));
      }
      response.setHeader("Cache-Control", "no-store");
      response.redirect(303, `/api/core/saml/complete?code=${code}`);
    });
  };
}

const CODE_BYTES = 32;
const CODE_LIFETIME_MS = 60_000;

interface Answer {
  samlResponse: string;
  relayState: string | undefined;
}

/** A request of ours with the connection that it went out by; nothing asked: only the connection. */
interface Context {
  connection: SamlConnectionRow;
  asked: SamlRequestRow | undefined;
}

async function takeAnswer(parts: FlowParts, request: Request, answer: Answer, attempt: Attempt) {
  const { workers, clock } = parts;
  const read = await workers.readResponse(answer.samlResponse);
  if (!read.ok) {
    return reject(read.code);
  }
  const { inResponseTo, issuer } = read.value;
  const context =
    inResponseTo === undefined
      ? { connection: await unaskedConnection(parts, issuer), asked: undefined }
      : await askedContext(parts, inResponseTo, answer.relayState, attempt);
  attempt.connection = context.connection;
  const { asked } = context;
  const verified = await workers.verifyResponse(
    answer.samlResponse,
    trustOf(context.connection),
    await ourselves(parts),
    asked && { id: asked.id, createdAtMs: asked.created_at.getTime() },
    clock(),
  );
  return verified.ok ? keepSignIn(parts, request, context, verified.value) : reject(verified.code);
}

/** The request that is answered, open still, made under the settings that hold now, by the one who got its handle. */
async function askedContext(
  { db, clock }: FlowParts,
  inResponseTo: string,
  relayState: string | undefined,
  attempt: Attempt,
): Promise<Context> {
  const asked = await findOpenSamlRequest(db, inResponseTo, "login", new Date(clock()));
  if (asked === undefined) {
    return reject("request_unknown");
  }
  const connection = await findSamlConnection(db, asked.org_id, asked.connection_id);
  attempt.connection = connection;
  if (connection === undefined || !connection.enabled || connection.config_version !== asked.config_version) {
    return reject("connection_changed");
  }
  return isSecretOf(relayState, asked.relay_hash) ? { connection, asked } : reject("relay_state");
}

async function unaskedConnection({ db }: FlowParts, issuer: string | undefined): Promise<SamlConnectionRow> {
  const connection = issuer === undefined ? undefined : await findUnaskedSamlConnection(db, issuer);
  return connection?.enabled ? connection : reject("connection_unknown");
}

/** All of it or nothing: the request is used up, the assertion remembered, the user known, the code waits. */
async function keepSignIn(parts: FlowParts, request: Request, { connection, asked }: Context, said: VerifiedAssertion) {
  const { db, clock, relay } = parts;
  const code = randomBytes(CODE_BYTES).toString("base64url");
  // Who was not asked carries no secret yet: this very browser gets one, so that the code is of no use in another.
  const fresh = newBrowserSecret();
  const browser = asked === undefined ? { hash: hashOf(fresh), secret: fresh } : { hash: asked.browser_hash };
  const { id: connectionId, org_id: orgId, config_version } = connection;
  await db.transaction(originOfVisit(request, ""), async (tx) => {
    const now = new Date(clock());
    const held = await holdSamlConnection(tx, orgId, connectionId);
    if (held === undefined || !held.enabled || held.config_version !== config_version) {
      return reject("connection_changed");
    }
    if (asked !== undefined && !(await consumeSamlRequest(tx, asked.id, "login", now))) {
      return reject("replayed");
    }
    if (
      !(await consumeSamlMessage(tx, { connectionId, orgId, hash: said.assertionHash, expiresAt: said.validUntil }))
    ) {
      return reject("replayed");
    }
    const userId = await provision(tx, held, said);
    return insertLoginCode(tx, hashOf(code), {
      org_id: orgId,
      connection_id: connectionId,
      config_version,
      browser_hash: browser.hash,
      user_id: userId,
      name_id: said.nameId,
      session_index: said.sessionIndex ?? null,
      session_ends_at: said.sessionEndsAt ?? null,
      return_to: asked?.return_to ?? "/",
      expires_at: new Date(now.getTime() + CODE_LIFETIME_MS),
    });
  });
  relay.wake();
  return { code, browserSecret: browser.secret };
}
