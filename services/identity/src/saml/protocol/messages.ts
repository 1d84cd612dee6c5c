import { createSign, randomBytes } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import type { KeyPair } from "./key-pair.js";
import { ASSERTION, POST_BINDING, PROTOCOL, RSA_SHA256, SUCCESS } from "./names.js";
import type { MessageKind } from "./protocol.js";
import { signedXml } from "./signed-xml.js";
import { joined, type XmlText, xml } from "./xml-text.js";

/** A message of ours to an identity provider, not signed yet. */
export interface OutgoingMessage {
  kind: MessageKind;
  text: string;
  destination: string;
}

interface Head {
  id: string;
  /** Our entity id. */
  issuer: string;
  destination: string;
  nowMs: number;
}

/** An id that nobody can guess, and that is a name in XML. */
export function newMessageId(): string {
  return `_${randomBytes(ID_BYTES).toString("hex")}`;
}

/** Asks who somebody is. `nameIdFormat` null: the provider chooses. Which way of signing in is good enough, it knows best. */
export function authnRequest(head: Head & { acsUrl: string; nameIdFormat: string | null }): OutgoingMessage {
  const { acsUrl, nameIdFormat } = head;
  const policy =
    nameIdFormat === null
      ? xml`<samlp:NameIDPolicy AllowCreate="true"/>`
      : xml`<samlp:NameIDPolicy Format="${nameIdFormat}" AllowCreate="true"/>`;
  const rest = xml` AssertionConsumerServiceURL="${acsUrl}" ProtocolBinding="${POST_BINDING}"`;
  return message("SAMLRequest", "AuthnRequest", head, rest, policy);
}

/** Says that sessions have ended here, and asks to end them everywhere. */
export function logoutRequest(
  head: Head & { nameId: string; nameIdFormat: string | undefined; sessionIndex: string | undefined },
): OutgoingMessage {
  const { nameId, nameIdFormat, sessionIndex } = head;
  const format = nameIdFormat === undefined ? xml`` : xml` Format="${nameIdFormat}"`;
  const index = sessionIndex === undefined ? xml`` : xml`<samlp:SessionIndex>${sessionIndex}</samlp:SessionIndex>`;
  const content = joined([xml`<saml:NameID${format}>${nameId}</saml:NameID>`, index]);
  return message("SAMLRequest", "LogoutRequest", head, xml``, content);
}

/** Answers that the sessions which a provider named have ended. */
export function logoutResponse(head: Head & { inResponseTo: string }): OutgoingMessage {
  const rest = xml` InResponseTo="${head.inResponseTo}"`;
  const status = xml`<samlp:Status><samlp:StatusCode Value="${SUCCESS}"/></samlp:Status>`;
  return message("SAMLResponse", "LogoutResponse", head, rest, status);
}

/** Where to send the browser with a message of the Redirect binding. */
export function redirectUrl(
  { kind, text, destination }: OutgoingMessage,
  relayState: string | undefined,
  key: KeyPair,
): string {
  const parameters = [
    [kind, deflateRawSync(text).toString("base64")],
    ...(relayState === undefined ? [] : [["RelayState", relayState]]),
    ["SigAlg", RSA_SHA256],
  ];
  // The octets that are signed are those that are sent: encoded once, by hand, and never again.
  const signed = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value ?? "")}`).join("&");
  const signature = createSign("RSA-SHA256").update(signed).sign(key.privateKey, "base64");
  const separator = new URL(destination).search === "" ? "?" : "&";
  return `${destination}${separator}${signed}&Signature=${encodeURIComponent(signature)}`;
}

/** The fields of the form that carries a message of the POST binding. */
export function postFields(
  { kind, text }: OutgoingMessage,
  relayState: string | undefined,
  key: KeyPair,
): Record<string, string> {
  const fields = { [kind]: Buffer.from(signedXml(text, key, "after_issuer")).toString("base64") };
  return relayState === undefined ? fields : { ...fields, RelayState: relayState };
}

const ID_BYTES = 20;

function message(
  kind: MessageKind,
  name: string,
  { id, issuer, destination, nowMs }: Head,
  rest: XmlText,
  content: XmlText,
): OutgoingMessage {
  const element: XmlText = { text: `samlp:${name}` };
  const { text } = xml`<${element} xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="${id}" Version="2.0" \
IssueInstant="${new Date(nowMs).toISOString()}" Destination="${destination}"${rest}>\
<saml:Issuer>${issuer}</saml:Issuer>${content}</${element}>`;
  return { kind, text, destination };
}
