import { SignedXml } from "xml-crypto";
import type { KeyPair } from "./key-pair.js";
import { ENVELOPED, EXCLUSIVE_C14N, RSA_SHA256, SHA256 } from "./names.js";

/** Where the signature goes: before all that the root holds, or right behind its issuer. */
export type SignaturePlace = "first" | "after_issuer";

/** Signs a document whose root has an ID. */
export function signedXml(text: string, { privateKey, certificate }: KeyPair, place: SignaturePlace): string {
  const signed = new SignedXml({
    privateKey,
    publicCert: certificate,
    signatureAlgorithm: RSA_SHA256,
    canonicalizationAlgorithm: EXCLUSIVE_C14N,
  });
  signed.addReference({ xpath: "/*", transforms: [ENVELOPED, EXCLUSIVE_C14N], digestAlgorithm: SHA256 });
  const location =
    place === "first"
      ? { reference: "/*", action: "prepend" as const }
      : { reference: "/*/*[local-name(.)='Issuer']", action: "after" as const };
  signed.computeSignature(text, { prefix: "ds", location });
  return signed.getSignedXml();
}
