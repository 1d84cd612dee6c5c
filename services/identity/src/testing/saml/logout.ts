import { createSign } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import type { KeyPair } from "../../saml/protocol/key-pair.js";
import { at, type Provider, SAML, SAMLP } from "./provider.js";

/** A provider's request to end sessions, before it is signed. */
export function logoutRequestText({ entityId, ourselves }: Provider, nowMs: number): string {
  return `<samlp:LogoutRequest xmlns:samlp="${SAMLP}" xmlns:saml="${SAML}" ID="_logout" Version="2.0" \
IssueInstant="${at(nowMs)}" Destination="${ourselves.sloUrl}" NotOnOrAfter="${at(nowMs + 60_000)}">\
<saml:Issuer>${entityId}</saml:Issuer><saml:NameID>ada</saml:NameID>\
<samlp:SessionIndex>_session</samlp:SessionIndex></samlp:LogoutRequest>`;
}

/** A provider's answer that sessions have ended, before it is signed. */
export function logoutResponseText({ entityId, ourselves }: Provider, nowMs: number): string {
  return `<samlp:LogoutResponse xmlns:samlp="${SAMLP}" xmlns:saml="${SAML}" ID="_logout" Version="2.0" \
IssueInstant="${at(nowMs)}" Destination="${ourselves.sloUrl}" InResponseTo="_request">\
<saml:Issuer>${entityId}</saml:Issuer><samlp:Status>\
<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status></samlp:LogoutResponse>`;
}

export interface HowSent {
  kind?: "SAMLRequest" | "SAMLResponse";
  relayState?: string;
  algorithm?: string;
  digest?: string;
}

/** The query that carries a message of the Redirect binding. */
export function redirectQuery(text: string, key: KeyPair, how: HowSent = {}): string {
  const { kind = "SAMLRequest", relayState, algorithm = RSA_SHA256, digest = "RSA-SHA256" } = how;
  const parameters = [
    `${kind}=${encodeURIComponent(deflateRawSync(text).toString("base64"))}`,
    ...(relayState === undefined ? [] : [`RelayState=${encodeURIComponent(relayState)}`]),
    `SigAlg=${encodeURIComponent(algorithm)}`,
  ].join("&");
  const signature = createSign(digest).update(parameters).sign(key.privateKey, "base64");
  return `${parameters}&Signature=${encodeURIComponent(signature)}`;
}

const RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
