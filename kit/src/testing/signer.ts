import { randomBytes } from "node:crypto";
import type { JsonWebKey } from "@assistant/proto/assistant/common/v1/callers.js";
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from "jose";

export const ISSUER = "https://platform.example";
export const AUDIENCE = `${ISSUER}/api`;
/** A header that the signer may set though nobody understands it. */
export const EXTENSION = "urn:example:extension";
export const USER = "usr_01jd3v5q8ye9r9t6w0x2z4b6d8";
export const SERVICE_ACCOUNT = "sva_01jd3v5q8ye9r9t6w0x2z4b6d8";

/** Signs tokens as identity does, with any claim or header changed. */
export interface Signer {
  readonly jwk: JsonWebKey;
  sign(changes: Readonly<Record<string, unknown>>, header?: Partial<JWTHeaderParameters>): Promise<string>;
}

export async function createSigner(kid: string): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const { x = "", y = "" } = await exportJWK(publicKey);
  return {
    jwk: { kid, kty: "EC", crv: "P-256", x, y, alg: "ES256", use: "sig" },
    sign: (changes, header = {}) =>
      new SignJWT(claims(changes))
        .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid, ...header })
        .sign(privateKey, { crit: { [EXTENSION]: true } }),
  };
}

/** The claims of a good token; undefined takes one away. */
export function claims(changes: Readonly<Record<string, unknown>>) {
  return {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: USER,
    org: "org_1",
    sid: "ses_1",
    jti: randomBytes(8).toString("hex"),
    iat: seconds(),
    exp: seconds() + 600,
    scope: "all",
    role: "member",
    ep: 0,
    ...changes,
  };
}

export function seconds(): number {
  return Math.floor(Date.now() / 1_000);
}
