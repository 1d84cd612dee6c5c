import { X509Certificate } from "node:crypto";
import { type Violation, valueError } from "@assistant/kit/rules/violation.js";

/** Certificates as PEM, or what is wrong with the first that cannot be used. */
export function readCertificates(
  texts: readonly string[],
  nowMs: number,
): { certificates: string[]; violation: Violation | undefined } {
  const certificates: string[] = [];
  for (const [index, text] of texts.entries()) {
    const read = readCertificate(text);
    const problem = read === undefined ? "This is no X.509 certificate" : problemOf(read, nowMs);
    if (read === undefined || problem !== undefined) {
      return { certificates, violation: valueError(["certificates", String(index)], problem ?? "") };
    }
    certificates.push(read.toString());
  }
  return { certificates: [...new Set(certificates)], violation: undefined };
}

/** When a certificate of ours expires, or one that `readCertificates` let in. */
export function expiryOf(pem: string): Date {
  return new Date(new X509Certificate(pem).validTo);
}

const KEY_BITS_MIN = 2_048;

function readCertificate(text: string): X509Certificate | undefined {
  const pem = text.includes("-----BEGIN") ? text : `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`;
  try {
    return new X509Certificate(pem);
  } catch {
    // Whatever the parser dislikes, its words are about bytes and say nothing to an admin.
    return undefined;
  }
}

function problemOf(certificate: X509Certificate, nowMs: number): string | undefined {
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  if (asymmetricKeyType !== "rsa") {
    return "The certificate's key is not RSA";
  }
  if ((asymmetricKeyDetails?.modulusLength ?? 0) < KEY_BITS_MIN) {
    return `The certificate's key has less than ${KEY_BITS_MIN} bits`;
  }
  return Date.parse(certificate.validTo) <= nowMs ? "The certificate has expired" : undefined;
}
