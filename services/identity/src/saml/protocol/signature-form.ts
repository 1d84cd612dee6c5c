import { allOf, areNamed, attributeOf, childrenOf, isNamed, textOf } from "./dom.js";
import { DSIG, ENVELOPED, EXCLUSIVE_C14N, RSA_SHA256, RSA_SHA512, SHA256, SHA512 } from "./names.js";
import { type RefusalCode, refuse } from "./refusal.js";

/** Whether a signature has the one form that we let a library verify: one reference, to what holds the signature. */
export function checkSignature(signature: Element, signedId: string): void {
  const parts = childrenOf(signature);
  const names = ["SignedInfo", "SignatureValue", "KeyInfo"];
  const [signedInfo, value] = parts;
  if (!areNamed(parts, DSIG, names.slice(0, Math.max(2, parts.length))) || !signedInfo || !value) {
    refuse("signature_form");
  }
  checkBase64(value);
  checkSignedInfo(signedInfo, signedId);
  allOf(signedInfo).forEach(checkAttributes);
}

export const SIGNATURE_ALGORITHMS: ReadonlySet<string | undefined> = new Set([RSA_SHA256, RSA_SHA512]);
const DIGEST_ALGORITHMS: ReadonlySet<string | undefined> = new Set([SHA256, SHA512]);
const BASE64 = /^[A-Za-z0-9+/ \t\r\n]+={0,2}[ \t\r\n]*$/;
// Twice what any provider is known to name, and far below what takes time.
const PREFIXES_MAX_CHARS = 256;

function checkSignedInfo(signedInfo: Element, signedId: string): void {
  const parts = childrenOf(signedInfo);
  const [canonicalization, method, reference] = parts;
  const isWhole = areNamed(parts, DSIG, ["CanonicalizationMethod", "SignatureMethod", "Reference"]);
  if (!isWhole || !canonicalization || !method || !reference) {
    refuse("signature_form");
  }
  checkCanonicalization(canonicalization);
  checkAlgorithm(method, SIGNATURE_ALGORITHMS);
  checkReference(reference, signedId);
}

function checkReference(reference: Element, signedId: string): void {
  if (attributeOf(reference, "URI") !== `#${signedId}`) {
    refuse("signature_reference");
  }
  const parts = childrenOf(reference);
  const [transforms, digest, value] = parts;
  if (!areNamed(parts, DSIG, ["Transforms", "DigestMethod", "DigestValue"]) || !transforms || !digest || !value) {
    refuse("signature_form");
  }
  checkTransforms(childrenOf(transforms));
  checkAlgorithm(digest, DIGEST_ALGORITHMS);
  checkBase64(value);
}

function checkTransforms(transforms: readonly Element[]): void {
  const [enveloped, canonicalization] = transforms;
  if (!areNamed(transforms, DSIG, ["Transform", "Transform"]) || !enveloped || !canonicalization) {
    refuse("signature_form");
  }
  checkAlgorithm(enveloped, new Set([ENVELOPED]));
  checkCanonicalization(canonicalization);
}

/** Libraries find attributes by their local name: of two, they could take the other one. */
function checkAttributes(element: Element): void {
  const isPlain = ({ name }: Attr) => !name.includes(":") || name.startsWith("xmlns:");
  if (!Array.from(element.attributes).every(isPlain)) {
    refuse("signature_form");
  }
}

/** Exclusive, without comments; it may name prefixes that are kept. */
function checkCanonicalization(method: Element): void {
  const parts = childrenOf(method);
  const isPrefixes = (part: Element) =>
    isNamed(part, EXCLUSIVE_C14N, "InclusiveNamespaces") &&
    childrenOf(part).length === 0 &&
    (attributeOf(part, "PrefixList") ?? "").length <= PREFIXES_MAX_CHARS;
  const arePrefixes = parts.length <= 1 && parts.every(isPrefixes);
  if (attributeOf(method, "Algorithm") !== EXCLUSIVE_C14N || !arePrefixes) {
    refuse("algorithm");
  }
}

function checkAlgorithm(method: Element, allowed: ReadonlySet<string | undefined>): void {
  if (!allowed.has(attributeOf(method, "Algorithm")) || childrenOf(method).length > 0) {
    refuse("algorithm");
  }
}

function checkBase64(element: Element, code: RefusalCode = "signature_form"): void {
  if (!BASE64.test(textOf(element, code))) {
    refuse(code);
  }
}
