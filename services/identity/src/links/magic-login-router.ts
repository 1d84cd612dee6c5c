import { Fault } from "@assistant/kit/wire/fault.js";
import { type Request, type Response, Router, urlencoded } from "express";
import { visitOf } from "../http/visit.js";
import type { Pages } from "../pages/pages.js";
import { localeOf } from "../pages/texts.js";
import { readRefreshCookie, refreshCookie } from "../sessions/refresh-cookie.js";
import { refreshTokenHash } from "../sessions/refresh-token.js";
import type { SeenLinkRow } from "../store/magic-link-uses.js";
import { findSignedIn } from "../store/signed-in.js";
import { type ConsumptionParts, consumeMagicLink, lookAtMagicLink } from "./consumption.js";
import { isFromOwnPage } from "./own-page.js";

export interface MagicLoginParts extends ConsumptionParts {
  pages: Pages;
}

/**
 * Where magic links lead. To open one changes nothing, whoever opens it: a scanner of mails, a preview of chats. A page
 * says who one becomes, and only its button signs in.
 */
export function magicLoginRouter(parts: MagicLoginParts): Router {
  const { pages } = parts;
  const router = Router({ caseSensitive: true, strict: true });
  router.get("/login/magic", pages.magicLink);
  router.post("/login/magic", urlencoded({ extended: false, limit: BODY_MAX }), async (request, response) => {
    if (!isFromOwnPage(request, parts.issuer)) {
      return pages.failure(request, response, 403, "forbidden_origin");
    }
    const { token, step } = readForm(request);
    if (token === undefined || (step !== "look" && step !== "consume")) {
      return pages.failure(request, response, 400, "bad_request");
    }
    return step === "look" ? look(parts, request, response, token) : consume(parts, request, response, token);
  });
  return router;
}

const BODY_MAX = "4kb";

/** A field that comes twice is none. */
function readForm({ body }: Request): { token: string | undefined; step: string | undefined } {
  // The parser makes an object of texts and lists of texts, or leaves nothing where it was no form.
  const fields = new Map(Object.entries((body ?? {}) as Record<string, unknown>));
  const text = (name: string) => {
    const value = fields.get(name);
    return typeof value === "string" ? value.trim() : undefined;
  };
  return { token: tokenIn(text("token")), step: text("step") };
}

/** Without our script whoever pastes the whole link sends it whole. */
function tokenIn(pasted: string | undefined): string | undefined {
  return /#t=([^&]*)/.exec(pasted ?? "")?.[1] ?? pasted;
}

async function look(parts: MagicLoginParts, request: Request, response: Response, token: string): Promise<void> {
  const { pages } = parts;
  const link = await lookAtMagicLink(parts, token);
  if (link === undefined) {
    return pages.failure(request, response, 400, "link_invalid");
  }
  const signedIn = await otherSignedIn(parts, request, link);
  return pages.magicConfirm(request, response, {
    token,
    kind: link.kind,
    name: nameFor(request, link),
    isSignedIn: signedIn !== undefined,
    signedInAs: signedIn?.called ?? undefined,
    usesLeft: link.max_uses === null ? undefined : link.max_uses - link.uses,
  });
}

async function consume(parts: MagicLoginParts, request: Request, response: Response, token: string): Promise<void> {
  const { issuer, pages } = parts;
  try {
    const { refreshToken, refreshEndsAt } = await consumeMagicLink(parts, token, visitOf(request));
    if (refreshToken === undefined || refreshEndsAt === undefined) {
      throw new Error("the session of a link can be prolonged");
    }
    response.setHeader("Set-Cookie", refreshCookie(issuer, refreshToken, refreshEndsAt));
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Referrer-Policy", "no-referrer");
    response.redirect(303, "/");
  } catch (error) {
    if (!(error instanceof Fault && error.kind === "refused")) {
      throw error;
    }
    pages.failure(request, response, 400, "link_invalid");
  }
}

/** Whoever else is signed in with this browser, and will not be after. */
async function otherSignedIn({ db, issuer, clock }: MagicLoginParts, request: Request, link: SeenLinkRow) {
  const token = readRefreshCookie(request.get("cookie"), issuer);
  const hash = token === undefined ? undefined : refreshTokenHash(token);
  const signedIn = hash && (await findSignedIn(db, hash, new Date(clock())));
  return signedIn?.principal_id === link.service_account_id ? undefined : signedIn;
}

function nameFor(request: Request, { account_name, label }: SeenLinkRow): string {
  const texts = new Map(Object.entries(label ?? {}));
  return texts.get(localeOf(request)) ?? texts.get("en") ?? account_name;
}
