import { type Keyring, seal, unseal } from "@assistant/kit/database/seal.js";
import type { JsonWebKey } from "@assistant/proto/assistant/common/v1/callers.js";
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import type { NewSigningKey, SigningKeyRow } from "./store/signing-keys.js";

/** A new key to sign with from a time on. */
export async function newSigningKey(keyring: Keyring, signsFrom: Date): Promise<NewSigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const { x = "", y = "" } = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint({ kty: "EC", crv: "P-256", x, y });
  const privateSealed = seal(keyring, JSON.stringify(await exportJWK(privateKey)), contextOf(kid));
  return { kid, publicX: x, publicY: y, privateSealed, signsFrom };
}

/** Throws `wrongKeyring` where the keyring does not open it. */
export async function openSigningKey({ kid, private_sealed }: SigningKeyRow, keyring: Keyring): Promise<CryptoKey> {
  // `newSigningKey` sealed it under this very context, and importJWK checks its form.
  const jwk = JSON.parse(unsealed(private_sealed, kid, keyring)) as JWK;
  const key = await importJWK(jwk, ALGORITHM);
  if (key instanceof Uint8Array) {
    throw new Error("a signing key is no key pair");
  }
  return key;
}

/** What everybody may know of it. */
export function publicKeyOf({ kid, public_x, public_y }: SigningKeyRow): JsonWebKey {
  return { kid, kty: "EC", crv: "P-256", x: public_x, y: public_y, alg: ALGORITHM, use: "sig" };
}

/** No waiting will help here. */
export const wrongKeyring = new Error(
  "KEYRING does not open the signing keys: it is not the one they were sealed with",
);

const ALGORITHM = "ES256";

function unsealed(sealed: Buffer, kid: string, keyring: Keyring): string {
  try {
    return unseal(keyring, sealed, contextOf(kid)).toString();
  } catch {
    // Whichever way it fails, there is one remedy, and no key belongs into a log.
    throw wrongKeyring;
  }
}

function contextOf(kid: string): string[] {
  return ["signing_keys", kid, "", "private_sealed"];
}
