import { SignedXml } from "xml-crypto";
import { childrenOf, isNamed } from "./dom.js";
import { DSIG } from "./names.js";
import { refuse } from "./refusal.js";
import { signerOf } from "./signer.js";

/** What the signature of the root really covers; all of it comes from one of these certificates' keys. */
export function signedBytes(text: string, root: Element, certificates: readonly string[]): string {
  const signature = childrenOf(root).find((child) => isNamed(child, DSIG, "Signature"));
  if (signature === undefined) {
    return refuse("unsigned");
  }
  return coveredBy(text, signature, signerOf(signature, certificates)) ?? refuse("signature");
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
    // The library throws where the signature does not hold, in words that are not for us.
    return undefined;
  }
}
