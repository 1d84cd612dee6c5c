/** `Set-Cookie` that leaves a refresh token with a browser: out of reach of scripts and of other sites. */
export function refreshCookie(publicUrl: string, token: string, endsAt: Date): string {
  return cookie(publicUrl, token, endsAt);
}

/** `Set-Cookie` that takes it away. */
export function clearedRefreshCookie(publicUrl: string): string {
  return cookie(publicUrl, "", new Date(0));
}

/** The refresh token in a `Cookie` header. Two that differ are none: nobody can say whose the one is. */
export function readRefreshCookie(header: string | undefined, publicUrl: string): string | undefined {
  const name = nameFor(publicUrl);
  const found = (header ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at >= 0 && pair.slice(0, at).trim() === name ? pair.slice(at + 1).trim() : [];
  });
  const [token, ...others] = new Set(found);
  return token === "" || others.length > 0 ? undefined : token;
}

function cookie(publicUrl: string, value: string, expiresAt: Date): string {
  const secure = isSecure(publicUrl) ? "; Secure" : "";
  const pair = `${nameFor(publicUrl)}=${value}`;
  return `${pair}; Path=/; Expires=${expiresAt.toUTCString()}; HttpOnly; SameSite=Strict${secure}`;
}

// With the prefix browsers take the cookie from this very host only, over TLS only. On http they refuse both.
function nameFor(publicUrl: string): string {
  return isSecure(publicUrl) ? "__Host-refresh" : "refresh";
}

function isSecure(publicUrl: string): boolean {
  return new URL(publicUrl).protocol === "https:";
}
