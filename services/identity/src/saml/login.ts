import type { Request, Response } from "express";
import type { SamlConnectionRow } from "../store/saml-connections.js";
import { findSamlConnectionBySlug, findSamlConnectionsByDomain } from "../store/saml-providers.js";
import { insertSamlRequest } from "../store/saml-requests.js";
import { emailKey } from "../store/users.js";
import { browserCookie, hashOf, newBrowserSecret, readBrowserCookie } from "./browser-cookie.js";
import { type FlowParts, ourUrls } from "./flow.js";
import { authnRequest, newMessageId } from "./protocol/messages.js";
import { safeReturnTo } from "./return-to.js";
import { sendMessage } from "./sending.js";
import { NAME_ID_FORMAT_URIS } from "./words.js";

/**
 * Begins a sign-in: with the connection named, or with that of the address's domain. What is answered to an address
 * depends on its domain alone, so that nobody learns who has an account.
 */
export function samlLogin(parts: FlowParts) {
  return async (request: Request, response: Response): Promise<void> => {
    const { pages, publicUrl } = parts;
    const asked = readQuery(request, publicUrl);
    if (asked === undefined) {
      pages.failure(request, response, 400, "bad_request");
      return;
    }
    const { slug, email } = asked;
    const returnTo = safeReturnTo(asked.returnTo, publicUrl);
    if (slug !== undefined) {
      const connection = await findSamlConnectionBySlug(parts.db, slug);
      if (connection?.enabled) {
        await begin(parts, request, response, connection, returnTo);
      } else {
        pages.failure(request, response, 403, "login_failed");
      }
      return;
    }
    const found = email === undefined ? [] : await connectionsOf(parts, email);
    const [only, ...others] = found;
    if (only !== undefined && others.length === 0) {
      await begin(parts, request, response, only, returnTo);
      return;
    }
    const connections = found.map(({ slug, name }) => ({ slug, name }));
    const problem = email === undefined || found.length > 0 ? undefined : "unknown_email";
    pages.login(request, response, { connections, email, returnTo, problem });
  };
}

const REQUEST_LIFETIME_MS = 600_000;
const EMAIL_LENGTH_MAX = 254;
const CONNECTIONS_SHOWN_MAX = 20;
const PARAMETERS = ["connection", "email", "return_to"];

interface Asked {
  slug: string | undefined;
  email: string | undefined;
  returnTo: string | undefined;
}

/** Undefined: something stands twice in the query, or could not be. */
function readQuery(request: Request, publicUrl: string): Asked | undefined {
  const query = new URL(request.originalUrl, publicUrl).searchParams;
  const [slugs, emails, returns] = PARAMETERS.map((name) => query.getAll(name)) as [string[], string[], string[]];
  const isPlain = [slugs, emails, returns].every(({ length }) => length <= 1);
  // A form that was sent empty asks for nothing.
  const email = emails[0]?.trim() || undefined;
  const slug = slugs[0] || undefined;
  const isBounded = (email?.length ?? 0) <= EMAIL_LENGTH_MAX && !`${slug}${email}`.includes("\0");
  return isPlain && isBounded ? { slug, email, returnTo: returns[0] } : undefined;
}

async function connectionsOf({ db }: FlowParts, email: string): Promise<SamlConnectionRow[]> {
  const domain = emailKey(email.slice(email.lastIndexOf("@") + 1));
  return findSamlConnectionsByDomain(db, domain, CONNECTIONS_SHOWN_MAX);
}

async function begin(
  parts: FlowParts,
  request: Request,
  response: Response,
  connection: SamlConnectionRow,
  returnTo: string,
): Promise<void> {
  const { db, clock, publicUrl, entityId } = parts;
  const nowMs = clock();
  const id = newMessageId();
  const relayState = newBrowserSecret();
  // One secret for all sign-ins that run in a browser: another tab must not undo the first.
  const browserSecret = readBrowserCookie(request.get("cookie"), publicUrl) ?? newBrowserSecret();
  await insertSamlRequest(db, {
    id,
    orgId: connection.org_id,
    connectionId: connection.id,
    purpose: "login",
    configVersion: connection.config_version,
    relayHash: hashOf(relayState),
    returnTo,
    browserHash: hashOf(browserSecret),
    createdAt: new Date(nowMs),
    expiresAt: new Date(nowMs + REQUEST_LIFETIME_MS),
  });
  const message = authnRequest({
    id,
    issuer: entityId,
    destination: connection.sso_url,
    nowMs,
    acsUrl: ourUrls(publicUrl).acsUrl,
    nameIdFormat: NAME_ID_FORMAT_URIS[connection.nameid_format],
  });
  response.append("Set-Cookie", browserCookie(publicUrl, browserSecret));
  await sendMessage(parts, request, response, { message, binding: connection.sso_binding, relayState });
}
