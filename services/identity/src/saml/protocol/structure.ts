import { VALUES_MAX } from "./attributes.js";
import { allOf, attributeOf, childrenOf, isNamed, optionalOf, trimmed } from "./dom.js";
import { ASSERTION, DSIG, PROTOCOL } from "./names.js";
import { type RefusalCode, refuse } from "./refusal.js";
import { checkSignature } from "./signature-form.js";

/** A response whose form leaves no room for a second reading. Nothing of it is verified. */
export interface ReadResponse {
  root: Element;
  issuer: string | undefined;
  inResponseTo: string | undefined;
  signature: Element | undefined;
  /** An Assertion or an EncryptedAssertion. */
  assertion: Element;
  isEncrypted: boolean;
}

export function checkResponse(root: Element): ReadResponse {
  checkRoot(root, PROTOCOL, "Response");
  checkChildren(root, RESPONSE_CHILDREN);
  const [assertion, second] = childrenOf(root).filter((child) => WHOLE.has(child.localName));
  if (assertion === undefined || second !== undefined || assertion.namespaceURI !== ASSERTION) {
    return refuse("assertion_count");
  }
  const isEncrypted = assertion.localName === "EncryptedAssertion";
  const hidden = isEncrypted ? new Set(allOf(assertion)) : new Set<Element>();
  checkTree(root, isEncrypted ? [root] : [root, assertion], assertion, hidden);
  return {
    root,
    assertion,
    isEncrypted,
    issuer: issuerOf(root),
    inResponseTo: attributeOf(root, "InResponseTo"),
    signature: optionalOf(root, DSIG, "Signature", "signature_place"),
  };
}

/** An assertion that came encrypted. */
export function checkAssertion(root: Element): void {
  checkRoot(root, ASSERTION, "Assertion");
  checkTree(root, [root], root, new Set());
}

export function checkLogout(root: Element, name: "LogoutRequest" | "LogoutResponse"): void {
  checkRoot(root, PROTOCOL, name);
  checkTree(root, [root], root, new Set());
}

/** Who a message says it is from. */
export function issuerOf(root: Element): string | undefined {
  const issuer = optionalOf(root, ASSERTION, "Issuer", "structure");
  return issuer === undefined ? undefined : trimmed(issuer.textContent ?? "");
}

/** What is signed as one thing, and what must stand nowhere but where it is looked for. By local name: so do libraries. */
const WHOLE = new Set(["Assertion", "EncryptedAssertion", "Response", "LogoutRequest", "LogoutResponse"]);
const ENCRYPTED = new Set(["EncryptedData", "EncryptedKey", "EncryptedID", "NewEncryptedID", "EncryptedAttribute"]);
const RESPONSE_CHILDREN: readonly [string, string][] = [
  [ASSERTION, "Issuer"],
  [DSIG, "Signature"],
  [PROTOCOL, "Extensions"],
  [PROTOCOL, "Status"],
];
const ID_NAMES = new Set(["ID", "Id", "id"]);
const NC_NAME = /^[A-Za-z_][\w.-]*$/;

function checkRoot(root: Element, namespace: string, name: string): void {
  if (!isNamed(root, namespace, name)) {
    refuse("root");
  }
  if (attributeOf(root, "Version") !== "2.0") {
    refuse("version");
  }
  if (attributeOf(root, "ID") === undefined) {
    refuse("ids");
  }
}

/** Beside the assertions: what is there, is known, and there once. */
function checkChildren(root: Element, known: readonly [string, string][]): void {
  for (const [namespace, name] of known) {
    optionalOf(root, namespace, name, name === "Signature" ? "signature_place" : "structure");
  }
  const isKnown = (child: Element) =>
    WHOLE.has(child.localName) || known.some(([namespace, name]) => isNamed(child, namespace, name));
  const unknown = childrenOf(root).find((child) => !isKnown(child));
  if (unknown !== undefined) {
    refuse(unknown.localName === "Signature" ? "signature_place" : "structure");
  }
}

function checkTree(
  root: Element,
  signable: readonly Element[],
  assertion: Element,
  hidden: ReadonlySet<Element>,
): void {
  const ids = new Set<string>();
  const elements = allOf(root);
  if (elements.filter(({ localName }) => localName === "AttributeValue").length > VALUES_MAX) {
    // Here already: to verify so many takes long, and whoever sends them need not have signed them.
    refuse("attributes");
  }
  for (const element of elements) {
    checkIds(element, ids);
    const code = misplaced(element, root, signable, assertion, hidden);
    if (code !== undefined) {
      refuse(code);
    }
  }
  for (const element of signable) {
    const signature = optionalOf(element, DSIG, "Signature", "signature_place");
    if (signature !== undefined) {
      checkSignature(signature, attributeOf(element, "ID") ?? refuse("ids"));
    }
  }
}

function checkIds(element: Element, ids: Set<string>): void {
  for (const { localName, value } of Array.from(element.attributes)) {
    if (ID_NAMES.has(localName)) {
      if (!NC_NAME.test(value) || ids.has(value)) {
        refuse("ids");
      }
      ids.add(value);
    }
  }
}

function misplaced(
  element: Element,
  root: Element,
  signable: readonly Element[],
  assertion: Element,
  hidden: ReadonlySet<Element>,
): RefusalCode | undefined {
  const { localName, parentNode } = element;
  if (WHOLE.has(localName) && element !== root && element !== assertion) {
    return "assertion_count";
  }
  if (ENCRYPTED.has(localName) && !hidden.has(element)) {
    return "encrypted_part";
  }
  if (localName === "Signature") {
    const isInPlace = element.namespaceURI === DSIG && signable.some((owner) => owner === parentNode);
    return isInPlace ? undefined : "signature_place";
  }
  if (SIGNATURE_PARTS.has(localName) && !isInSignature(element)) {
    return "signature_place";
  }
  return undefined;
}

const SIGNATURE_PARTS = new Set(["SignedInfo", "SignatureValue", "Reference", "Transforms", "DigestValue"]);

function isInSignature(element: Element): boolean {
  const inSignature = (node: Node | null): boolean =>
    node !== null && (node.nodeName.split(":").at(-1) === "Signature" || inSignature(node.parentNode));
  return inSignature(element.parentNode);
}
