import { verify, X509Certificate } from "node:crypto";
import { ExclusiveCanonicalization } from "xml-crypto";
import { attributeOf, childrenOf, textOf } from "./dom.js";
import { bytesOf } from "./envelope.js";
import { RSA_SHA256, RSA_SHA512 } from "./names.js";
import { refuse } from "./refusal.js";

/**
 * The certificate whose key made a signature that `checkSignature` let pass. What the signature covers is for a library
 * to say, which takes long with much content and many certificates: whoever has no key does not get that far.
 */
export function signerOf(signature: Element, certificates: readonly string[]): string {
  const [signedInfo, value] = childrenOf(signature);
  const [, method] = signedInfo === undefined ? [] : childrenOf(signedInfo);
  if (signedInfo === undefined || value === undefined || method === undefined) {
    return refuse("signature_form");
  }
  const bytes = bytesOf(textOf(value, "signature_form").replace(/[ \t\r\n]/g, ""));
  return signerAmong(certificates, attributeOf(method, "Algorithm"), canonical(signedInfo), bytes);
}

/** The certificate whose key signed a text. */
export function signerAmong(
  certificates: readonly string[],
  algorithm: string | undefined,
  text: string,
  signature: Uint8Array,
): string {
  const digest = DIGESTS.get(algorithm ?? "") ?? refuse("algorithm");
  const isBy = (certificate: string) => {
    const { publicKey } = new X509Certificate(certificate);
    return publicKey.asymmetricKeyType === "rsa" && verify(digest, Buffer.from(text), publicKey, signature);
  };
  return certificates.find(isBy) ?? refuse("signature");
}

const DIGESTS: ReadonlyMap<string, string> = new Map([
  [RSA_SHA256, "sha256"],
  [RSA_SHA512, "sha512"],
]);

/** The form of an element that is signed; prefixes that it keeps may be declared around it. */
function canonical(element: Element): string {
  // What is copied is an element. The copy, since namespaces are written into it.
  const copy = element.cloneNode(true) as Element;
  const ancestorNamespaces = namespacesAround(element);
  return new ExclusiveCanonicalization().process(copy, { ancestorNamespaces, defaultNsForPrefix: {} });
}

/** The prefixes that stand around an element and that it does not declare itself. */
function namespacesAround(element: Element): { prefix: string; namespaceURI: string }[] {
  const known = new Map<string, string>();
  const own = new Set(declarationsOf(element).map(({ prefix }) => prefix));
  for (let node = element.parentNode; isElement(node); node = node.parentNode) {
    for (const { prefix, namespaceURI } of declarationsOf(node)) {
      if (!own.has(prefix) && !known.has(prefix)) {
        known.set(prefix, namespaceURI);
      }
    }
  }
  return Array.from(known, ([prefix, namespaceURI]) => ({ prefix, namespaceURI }));
}

function declarationsOf(element: Element) {
  return Array.from(element.attributes)
    .filter(({ name }) => name.startsWith("xmlns:"))
    .map(({ localName, value }) => ({ prefix: localName, namespaceURI: value }));
}

function isElement(node: Node | null): node is Element {
  return node?.nodeType === 1;
}
