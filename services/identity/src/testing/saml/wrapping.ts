import { DOMParser, XMLSerializer } from "@xmldom/xmldom";
import type { RefusalCode } from "../../saml/protocol/refusal.js";
import { type Attack, changedOnTheWay } from "./attack.js";
import { DSIG, SAML, SAMLP, type Signing } from "./provider.js";

/** Signed content moved to where it is verified, forged content put where it is read: XSW1 to XSW8 and their kin. */
export function wrappings(): Attack[] {
  return moves.flatMap(([name, code, move, signings = ["assertion", "both"]]) =>
    signings.map((signing) => changedOnTheWay(name, code, signing, (text) => moved(text, move))),
  );
}

/** A signed response in its parts, to be put together anew. */
interface Parts {
  document: Document;
  response: Element;
  assertion: Element;
  /** A copy of the assertion in another's name, with another id and without a signature. */
  forged: Element;
  /** The signature of the assertion, or else that of the response. */
  signature: Element;
}

type Move = (parts: Parts) => void;

const moves: [string, RefusalCode, Move, Signing[]?][] = [
  ["XSW1: the signed response inside of the signature of a forged one", "assertion_count", xsw1, ["response", "both"]],
  ["XSW2: the signed response before the signature of a forged one", "assertion_count", xsw2, ["response", "both"]],
  ["XSW3: a forged assertion before the signed one", "assertion_count", before],
  ["XSW4: the signed assertion inside of a forged one", "assertion_count", inside],
  ["XSW5: a forged assertion with the signature, the signed one behind it", "assertion_count", xsw5],
  ["XSW6: the signed assertion inside of the signature of a forged one", "assertion_count", xsw6],
  ["XSW7: a forged assertion within Extensions", "assertion_count", xsw7],
  ["XSW8: the signed assertion within an Object of the forged one's signature", "assertion_count", xsw8],
  [
    "a forged assertion behind the signed one",
    "assertion_count",
    ({ response, forged }) => response.appendChild(forged),
  ],
  ["a forged assertion under the same id", "assertion_count", sameId],
  ["a forged assertion under the same id, written Id", "assertion_count", sameIdInOtherLetters],
  ["the signed assertion within StatusDetail, a forged one in its place", "assertion_count", inStatus],
  ["the signed assertion within Advice of a forged one", "assertion_count", (parts) => hidden(parts, SAML, "Advice")],
  ["the signed assertion within a Statement", "assertion_count", (parts) => hidden(parts, SAML, "AttributeStatement")],
  ["the signed assertion within what nobody knows", "assertion_count", (parts) => hidden(parts, "urn:x", "Hidden")],
  ["a forged assertion of another namespace", "assertion_count", otherNamespace],
  ["an EncryptedAssertion beside the signed one", "assertion_count", besideEncrypted],
  ["the signature of the assertion moved up to the response", "signature_reference", movedUp, ["assertion"]],
  ["the signature moved into the subject", "signature_place", movedDown],
  ["the signature a second time", "signature_place", twice],
  ["a forged assertion in place of the signed one", "unsigned", alone, ["assertion"]],
  ["a forged assertion within the signed response", "unsigned", alone, ["response", "both"]],
  ["a forged assertion with the signature of the signed one", "signature_reference", borrowed],
  ["no signature at all", "unsigned", stripped, ["assertion", "response", "both"]],
  ["an assertion without a response", "root", bare],
  ["a response within another element", "root", enveloped],
  ["a part with the id of the assertion", "ids", (parts) => markedPart(parts, "id")],
  ["a part with the id of the assertion, in a namespace", "ids", (parts) => markedPart(parts, "x:Id")],
  ["a part with the id of the assertion, as XML names ids", "ids", (parts) => markedPart(parts, "xml:id")],
];

function moved(text: string, move: Move): string {
  const document = new DOMParser().parseFromString(text, "text/xml");
  const response = document.documentElement;
  const assertion = named(response, "Assertion");
  const forged = copyOf(assertion);
  const own = childNamed(forged, "Signature");
  if (own !== undefined) {
    forged.removeChild(own);
  }
  forged.setAttribute("ID", "_forged");
  named(forged, "NameID").textContent = "mallory";
  const signature = childNamed(assertion, "Signature") ?? named(response, "Signature");
  move({ document, response, assertion, forged, signature });
  return new XMLSerializer().serializeToString(document);
}

function xsw1({ document, response }: Parts): void {
  const original = copyOf(response);
  const signature = childNamed(response, "Signature");
  forge(response);
  signature?.appendChild(document.importNode(original, true));
}

function xsw2({ document, response }: Parts): void {
  const original = copyOf(response);
  const signature = childNamed(response, "Signature");
  forge(response);
  response.insertBefore(document.importNode(original, true), signature ?? null);
}

/** Makes a response another's, its signature left where it is. */
function forge(response: Element): void {
  response.setAttribute("ID", "_forged");
  named(response, "NameID").textContent = "mallory";
}

function before({ response, assertion, forged }: Parts): void {
  response.insertBefore(forged, assertion);
}

function inside({ response, assertion, forged }: Parts): void {
  response.replaceChild(forged, assertion);
  forged.appendChild(assertion);
}

function xsw5({ response, assertion, forged, signature }: Parts): void {
  response.insertBefore(forged, assertion);
  forged.appendChild(signature);
}

function xsw6({ response, assertion, forged, signature }: Parts): void {
  response.replaceChild(forged, assertion);
  forged.appendChild(signature);
  signature.appendChild(assertion);
}

function xsw7({ document, response, assertion, forged }: Parts): void {
  const extensions = document.createElementNS(SAMLP, "samlp:Extensions");
  extensions.appendChild(forged);
  response.insertBefore(extensions, assertion);
}

function xsw8({ document, response, assertion, forged, signature }: Parts): void {
  const object = document.createElementNS(DSIG, "ds:Object");
  response.replaceChild(forged, assertion);
  forged.appendChild(signature);
  signature.appendChild(object);
  object.appendChild(assertion);
}

function sameId(parts: Parts): void {
  parts.forged.setAttribute("ID", "_assertion");
  before(parts);
}

function sameIdInOtherLetters(parts: Parts): void {
  parts.forged.removeAttribute("ID");
  parts.forged.setAttribute("Id", "_assertion");
  before(parts);
}

function inStatus({ document, response, assertion, forged }: Parts): void {
  const detail = document.createElementNS(SAMLP, "samlp:StatusDetail");
  response.replaceChild(forged, assertion);
  named(response, "Status").appendChild(detail);
  detail.appendChild(assertion);
}

function hidden({ document, response, assertion, forged }: Parts, namespace: string, name: string): void {
  const place = document.createElementNS(namespace, `hide:${name}`);
  response.replaceChild(forged, assertion);
  forged.appendChild(place);
  place.appendChild(assertion);
}

function otherNamespace({ document, response, assertion, forged }: Parts): void {
  const other = document.createElementNS("urn:oasis:names:tc:SAML:1.0:assertion", "old:Assertion");
  for (let child = forged.firstChild; child !== null; child = forged.firstChild) {
    other.appendChild(child);
  }
  response.insertBefore(other, assertion);
}

function besideEncrypted({ document, response }: Parts): void {
  response.appendChild(document.createElementNS(SAML, "saml:EncryptedAssertion"));
}

function movedUp({ response, signature }: Parts): void {
  response.insertBefore(signature, named(response, "Status"));
}

function movedDown({ assertion, signature }: Parts): void {
  named(assertion, "Subject").appendChild(signature);
}

function twice({ assertion, signature }: Parts): void {
  assertion.appendChild(copyOf(signature));
}

function alone({ response, assertion, forged }: Parts): void {
  response.replaceChild(forged, assertion);
}

function borrowed({ response, assertion, forged, signature }: Parts): void {
  response.replaceChild(forged, assertion);
  forged.insertBefore(signature, named(forged, "Subject"));
}

function stripped({ response, assertion }: Parts): void {
  for (const owner of [response, assertion]) {
    const signature = childNamed(owner, "Signature");
    if (signature !== undefined) {
      owner.removeChild(signature);
    }
  }
}

function bare({ document, response, assertion }: Parts): void {
  document.replaceChild(assertion, response);
}

function enveloped({ document, response }: Parts): void {
  const envelope = document.createElementNS("http://schemas.xmlsoap.org/soap/envelope/", "soap:Envelope");
  document.replaceChild(envelope, response);
  envelope.appendChild(response);
}

function markedPart({ response }: Parts, attribute: string): void {
  const namespaces: Readonly<Record<string, string>> = { x: "urn:x", xml: "http://www.w3.org/XML/1998/namespace" };
  const namespace = namespaces[attribute.split(":")[0] ?? ""] ?? null;
  named(response, "Status").setAttributeNS(namespace, attribute, "_assertion");
}

function copyOf(element: Element): Element {
  // A copy is of the kind that it is a copy of.
  return element.cloneNode(true) as Element;
}

function named(root: Element, name: string): Element {
  const found = root.getElementsByTagNameNS("*", name)[0];
  if (found === undefined) {
    throw new Error(`no ${name}`);
  }
  return found;
}

function childNamed(parent: Element, name: string): Element | undefined {
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === 1 && node.nodeName.split(":").at(-1) === name) {
      // Nodes of type 1 are elements.
      return node as Element;
    }
  }
  return undefined;
}
