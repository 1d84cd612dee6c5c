import { SignedXml } from "xml-crypto";
import { childrenOf, isNamed } from "./dom.js";
import { DSIG } from "./names.js";
import { refuse } from "./refusal.js";

/** What the signature of the root really covers; all of it comes from one of these certificates' keys. */
export function signedBytes(text: string, root: Element, certificates: readonly string[]): string {
  const signature = childrenOf(root).find((child) => isNamed(child, DSIG, "Signature"));
  if (signature === undefined) {
    return refuse("unsigned");
  }
  for (const publicCert of certificates) {
    const covered = coveredBy(text, signature, publicCert);
    if (covered !== undefined) {
      return covered;
    }
  }
  return refuse("signature");
}

function coveredBy(text: string, signature: Element, publicCert: string): string | undefined {
  const signed = new SignedXml({ publicCert });
  try {
    signed.loadSignature(signature);
    // A reader of XML ends lines in one way before anything is digested.
    const isGood = signed.checkSignature(text.replace(/\r\n?/g, "\n"));
    const [covered, second] = signed.getSignedReferences();
    return isGood && second === undefined ? covered : undefined;
  } catch {
    // The library throws where a signature is not by this key; another may fit.
    return undefined;
  }
}
