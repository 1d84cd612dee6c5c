import { readRefreshCookie } from "./refresh-cookie.js";

/** A token as a client shows it. */
export interface ShownToken {
  token: string;
  isCookie: boolean;
}

/**
 * The token that a request names, else the refresh token in its cookie. A cookie counts only where our own page sends
 * it: browsers add it to requests that other sites have made up, but always say where those come from.
 */
export function shownRefreshToken(
  named: string | undefined,
  beside: { refresh_cookie?: string | undefined; origin?: string | undefined },
  publicUrl: string,
): ShownToken | undefined {
  if (named !== undefined) {
    return { token: named, isCookie: false };
  }
  const token = readRefreshCookie(beside.refresh_cookie, publicUrl);
  const isOurs = beside.origin === new URL(publicUrl).origin;
  return token === undefined || !isOurs ? undefined : { token, isCookie: true };
}
