import { generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import forge from "node-forge";

/** A private key and the certificate that shows the public one, both as PEM. */
export interface KeyPair {
  privateKey: string;
  certificate: string;
}

/** A new key that identity providers know us by: they go by the certificate's key, and nobody else vouches for it. */
export async function newKeyPair(name: string, nowMs: number): Promise<KeyPair & { expiresAt: Date }> {
  const { privateKey } = await generateKeyPairAsync("rsa", {
    modulusLength: RSA_BITS,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const expiresAt = new Date(nowMs);
  expiresAt.setUTCFullYear(expiresAt.getUTCFullYear() + LIFETIME_YEARS);
  return { privateKey, certificate: certificateOf(privateKey, name, new Date(nowMs), expiresAt), expiresAt };
}

const generateKeyPairAsync = promisify(generateKeyPair);
const RSA_BITS = 3_072;
const LIFETIME_YEARS = 3;
const NAME_MAX_CHARS = 64;

function certificateOf(privateKey: string, name: string, startsAt: Date, expiresAt: Date): string {
  const key = forge.pki.privateKeyFromPem(privateKey);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(key.n, key.e);
  // A serial number is positive: its first bit is none.
  certificate.serialNumber = `01${randomBytes(15).toString("hex")}`;
  certificate.validity.notBefore = startsAt;
  certificate.validity.notAfter = expiresAt;
  const subject = [{ name: "commonName", value: name.slice(0, NAME_MAX_CHARS) }];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.sign(key, forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate).replaceAll("\r\n", "\n");
}
