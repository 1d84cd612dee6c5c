import { refused } from "@assistant/kit/wire/fault.js";
import { readRefreshCookie } from "./refresh-cookie.js";

/** A token as a client shows it. */
export interface ShownToken {
  token: string;
  isCookie: boolean;
}

/**
 * The token that the field of a request names, else the refresh token in its cookie; without either a refusal. A cookie
 * counts only where our own page sends it: browsers add it to requests that other sites have made up, but always say
 * where those come from.
 */
export function shownRefreshToken(field: "refresh_token" | "token", request: Showing, publicUrl: string): ShownToken {
  const named = request[field];
  if (named !== undefined && named !== "") {
    return { token: named, isCookie: false };
  }
  const token = readRefreshCookie(request.refresh_cookie, publicUrl);
  if (token === undefined) {
    throw refused("invalid_request", `${field} is missing`);
  }
  if (request.origin !== new URL(publicUrl).origin) {
    throw refused("invalid_request", "the cookie was sent without the Origin of this site");
  }
  return { token, isCookie: true };
}

interface Showing {
  refresh_token?: string | undefined;
  token?: string | undefined;
  refresh_cookie?: string | undefined;
  origin?: string | undefined;
}
