import { X509Certificate } from "node:crypto";
import { type RefusalCode, refuse } from "./refusal.js";

/** A certificate as PEM, out of PEM or the bare base64 of metadata; only with an RSA key of strength. */
export function certificatePem(text: string): string {
  const certificate = read(text);
  const key = certificate.publicKey;
  if (key.asymmetricKeyType !== "rsa" || (key.asymmetricKeyDetails?.modulusLength ?? 0) < RSA_MIN_BITS) {
    refuse(CODE);
  }
  return certificate.toString();
}

const CODE: RefusalCode = "certificate";
const RSA_MIN_BITS = 2_048;
const CERTIFICATE_MAX_CHARS = 16_384;

function read(text: string): X509Certificate {
  const bare = text.replace(/-----(?:BEGIN|END) CERTIFICATE-----/g, "").replace(/\s/g, "");
  if (bare.length > CERTIFICATE_MAX_CHARS || !/^[A-Za-z0-9+/]+={0,2}$/.test(bare)) {
    refuse(CODE);
  }
  try {
    return new X509Certificate(Buffer.from(bare, "base64"));
  } catch {
    return refuse(CODE);
  }
}
