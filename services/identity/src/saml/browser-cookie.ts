import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A new secret that nobody can guess, for a browser to bring back. */
export function newBrowserSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** What is kept of such a secret. */
export function hashOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** Whether a secret is the one whose hash was kept; how far it agrees takes no time to tell. */
export function isSecretOf(secret: string | undefined, hash: Buffer): boolean {
  return secret !== undefined && timingSafeEqual(hashOf(secret), hash);
}

/** `Set-Cookie` that ties a sign-in to the browser that began it; it comes back when other sites lead here. */
export function browserCookie(publicUrl: string, secret: string): string {
  const secure = isSecure(publicUrl) ? "; Secure" : "";
  return `${nameFor(publicUrl)}=${secret}; Path=/; Max-Age=${LIFETIME_S}; HttpOnly; SameSite=Lax${secure}`;
}

/** The secret in a `Cookie` header. Two that differ are none: nobody can say who set the other. */
export function readBrowserCookie(header: string | undefined, publicUrl: string): string | undefined {
  const name = nameFor(publicUrl);
  const found = (header ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at >= 0 && pair.slice(0, at).trim() === name ? pair.slice(at + 1).trim() : [];
  });
  const [secret, ...others] = new Set(found);
  return secret !== undefined && SECRET.test(secret) && others.length === 0 ? secret : undefined;
}

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;
const LIFETIME_S = 600;

// With the prefix browsers take the cookie from this very host only, over TLS only. On http they refuse both.
function nameFor(publicUrl: string): string {
  return isSecure(publicUrl) ? "__Host-saml" : "saml";
}

function isSecure(publicUrl: string): boolean {
  return new URL(publicUrl).protocol === "https:";
}
