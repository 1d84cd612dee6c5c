import express, { type Request, type RequestHandler, type Response, Router } from "express";
import { samlAcs } from "./acs.js";
import { samlComplete } from "./complete.js";
import type { FlowParts } from "./flow.js";
import { formField, hasField, rawQueryOf } from "./form.js";
import { samlLogin } from "./login.js";
import { ownLogout } from "./logout.js";
import type { MessageKind } from "./protocol/protocol.js";
import { providerLogout } from "./provider-logout.js";

/** Where browsers sign in and out by SAML. */
export function samlRouter(parts: FlowParts): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get("/api/core/saml/login", onlyGet, samlLogin(parts));
  router.post("/api/core/saml/acs", requireForm(parts), form, samlAcs(parts));
  router.get("/api/core/saml/complete", onlyGet, samlComplete(parts));
  router.get("/api/core/saml/slo", onlyGet, sloByRedirect(parts));
  router.post("/api/core/saml/slo", sloForm(parts), form, sloByForm(parts));
  return router;
}

const FORM_MAX_BYTES = 393_216;
const FIELDS_MAX = 10;
// It is sent back in an address. The standard grants 80.
const RELAY_STATE_MAX = 1_024;
const FORM = "application/x-www-form-urlencoded";

const form = express.urlencoded({ extended: false, limit: FORM_MAX_BYTES, parameterLimit: FIELDS_MAX, type: FORM });

/** Express answers HEAD like GET; here it would use up what only a browser may. */
const onlyGet: RequestHandler = (request, response, next) => {
  if (request.method === "GET") {
    next();
  } else {
    response.status(405).setHeader("Allow", "GET");
    response.end();
  }
};

function requireForm({ pages }: FlowParts): RequestHandler {
  return (request, response, next) => {
    if (request.is(FORM) === FORM) {
      next();
    } else {
      pages.failure(request, response, 415, "bad_request");
    }
  };
}

/** Our own sign-out needs no fields, and so no body. */
function sloForm(parts: FlowParts): RequestHandler {
  const required = requireForm(parts);
  return (request, response, next) => (request.is("*/*") === null ? next() : required(request, response, next));
}

function sloByRedirect(parts: FlowParts) {
  const { workers } = parts;
  return async (request: Request, response: Response): Promise<void> => {
    const rawQuery = rawQueryOf(request);
    if (rawQuery === "") {
      parts.pages.failure(request, response, 400, "bad_request");
      return;
    }
    await providerLogout(parts, request, response, {
      read: () => workers.readLogoutRedirect(rawQuery),
      verify: (trust, us, nowMs) => workers.verifyLogoutRedirect(rawQuery, trust, us, nowMs),
      relayState: undefined,
    });
  };
}

function sloByForm(parts: FlowParts) {
  const { workers } = parts;
  return async (request: Request, response: Response): Promise<void> => {
    const kinds = (["SAMLRequest", "SAMLResponse"] as const satisfies MessageKind[]).filter((kind) =>
      hasField(request, kind),
    );
    const [kind] = kinds;
    if (kind === undefined) {
      await ownLogout(parts, request, response);
      return;
    }
    const message = formField(request, kind);
    const relayState = formField(request, "RelayState");
    if (message === undefined || kinds.length > 1 || (relayState?.length ?? 0) > RELAY_STATE_MAX) {
      parts.pages.failure(request, response, 400, "bad_request");
      return;
    }
    await providerLogout(parts, request, response, {
      read: () => workers.readLogoutPost(kind, message),
      verify: (trust, us, nowMs) => workers.verifyLogoutPost(kind, message, trust, us, nowMs),
      relayState,
    });
  };
}
