import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Log } from "@assistant/kit/process/log.js";
import type { Request, Response } from "express";
import { originOfVisit, visitOf } from "../http/visit.js";
import type { Pages } from "../pages/pages.js";
import type { OpenSession } from "../sessions/opening.js";
import type { SamlConnectionRow } from "../store/saml-connections.js";
import { tellSamlRefusal } from "../store/saml-refusals.js";
import type { Ourselves, SamlWorkers, Trust } from "./protocol/protocol.js";
import { rejectionOf } from "./rejection.js";
import type { SpKeys } from "./sp-keys.js";
import { NAME_ID_FORMAT_URIS } from "./words.js";

/** What signing in and out by SAML works with. */
export interface FlowParts {
  db: Postgres;
  relay: { wake(): void };
  openSession: OpenSession;
  spKeys: SpKeys;
  workers: SamlWorkers;
  pages: Pages;
  clock: () => number;
  publicUrl: string;
  entityId: string;
  log: Log;
}

/** What is known so far of a message that is being judged. */
export interface Attempt {
  connection: SamlConnectionRow | undefined;
}

/** Work that may end in a rejection: whoever asked learns that it failed, the audit and the log learn why. */
export async function judged(
  parts: FlowParts,
  request: Request,
  response: Response,
  work: (attempt: Attempt) => Promise<void>,
): Promise<void> {
  const attempt: Attempt = { connection: undefined };
  try {
    await work(attempt);
  } catch (error) {
    const reason = rejectionOf(error);
    if (reason === undefined) {
      throw error;
    }
    const { requestId } = visitOf(request);
    const { connection } = attempt;
    parts.log.info({ request_id: requestId, connection_id: connection?.id, reason }, "a SAML message was refused");
    if (connection !== undefined) {
      const origin = originOfVisit(request, "");
      await parts.db.single(origin, (tx) => tellSamlRefusal(tx, connection.org_id, connection.id, reason));
      parts.relay.wake();
    }
    parts.pages.failure(request, response, 403, "login_failed");
  }
}

/** What an identity provider is believed. */
export function trustOf(connection: SamlConnectionRow): Trust {
  return {
    entityId: connection.entity_id,
    certificates: connection.certificates,
    wantResponseSigned: connection.want_response_signed,
    allowCbc: connection.allow_cbc,
    clockSkewMs: connection.clock_skew_ms,
    nameIdFormat: NAME_ID_FORMAT_URIS[connection.nameid_format],
  };
}

export async function ourselves({ spKeys, publicUrl, entityId }: FlowParts): Promise<Ourselves> {
  return { entityId, ...ourUrls(publicUrl), decryptionKeys: await spKeys.decryptionKeys() };
}

/** Where identity providers find us. */
export function ourUrls(publicUrl: string): { acsUrl: string; sloUrl: string } {
  return { acsUrl: `${publicUrl}/api/core/saml/acs`, sloUrl: `${publicUrl}/api/core/saml/slo` };
}
