import { promisify } from "node:util";
import { SignedXml } from "xml-crypto";
import { encrypt } from "xml-encryption";
import { type KeyPair, newKeyPair } from "../../saml/protocol/key-pair.js";
import type { Ourselves, Trust } from "../../saml/protocol/protocol.js";

/** An identity provider that signs whatever it is told to, and us as it knows us. */
export interface Provider {
  entityId: string;
  key: KeyPair;
  /** The key of somebody else. */
  foreign: KeyPair;
  /** What assertions are encrypted for. */
  ourKey: KeyPair;
  trust: Trust;
  ourselves: Ourselves;
}

export async function openProvider(origin = "https://assistant.example"): Promise<Provider> {
  const nowMs = Date.now();
  const [key, foreign, ourKey] = await Promise.all([
    newKeyPair("provider", nowMs),
    newKeyPair("provider", nowMs),
    newKeyPair("ourselves", nowMs),
  ]);
  const entityId = "https://idp.example/metadata";
  return {
    entityId,
    key,
    foreign,
    ourKey,
    trust: {
      entityId,
      certificates: [key.certificate],
      wantResponseSigned: false,
      allowCbc: false,
      clockSkewMs: 60_000,
      nameIdFormat: null,
    },
    ourselves: {
      entityId: `${origin}/saml/metadata`,
      acsUrl: `${origin}/api/core/saml/acs`,
      sloUrl: `${origin}/api/core/saml/slo`,
      decryptionKeys: [ourKey.privateKey],
    },
  };
}

export interface Said {
  /** The request that is answered; undefined: nobody asked. */
  inResponseTo: string | undefined;
  nowMs: number;
  nameId?: string;
  attributes?: string;
}

/** A response as it should be, before it is signed. */
export function responseText(provider: Provider, said: Said): string {
  const { inResponseTo, nowMs } = said;
  const answered = inResponseTo === undefined ? "" : ` InResponseTo="${inResponseTo}"`;
  const { acsUrl } = provider.ourselves;
  return `<samlp:Response xmlns:samlp="${SAMLP}" xmlns:saml="${SAML}" ID="_response" Version="2.0" \
IssueInstant="${at(nowMs)}" Destination="${acsUrl}"${answered}><saml:Issuer>${provider.entityId}</saml:Issuer>\
<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>\
${assertionText(provider, said)}</samlp:Response>`;
}

function assertionText(provider: Provider, { inResponseTo, nowMs, nameId = "ada", attributes = "" }: Said): string {
  const answered = inResponseTo === undefined ? "" : ` InResponseTo="${inResponseTo}"`;
  const { entityId, acsUrl } = provider.ourselves;
  return `<saml:Assertion xmlns:saml="${SAML}" ID="_assertion" Version="2.0" IssueInstant="${at(nowMs)}">\
<saml:Issuer>${provider.entityId}</saml:Issuer><saml:Subject><saml:NameID Format="${PERSISTENT}">${nameId}</saml:NameID>\
<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData \
NotOnOrAfter="${at(nowMs + 300_000)}" Recipient="${acsUrl}"${answered}/></saml:SubjectConfirmation></saml:Subject>\
<saml:Conditions NotBefore="${at(nowMs)}" NotOnOrAfter="${at(nowMs + 300_000)}"><saml:AudienceRestriction>\
<saml:Audience>${entityId}</saml:Audience></saml:AudienceRestriction></saml:Conditions>\
<saml:AuthnStatement AuthnInstant="${at(nowMs)}" SessionIndex="_session"><saml:AuthnContext><saml:AuthnContextClassRef>\
urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>\
<saml:AttributeStatement><saml:Attribute Name="email"><saml:AttributeValue>ada@example.com</saml:AttributeValue>\
</saml:Attribute>${attributes}</saml:AttributeStatement></saml:Assertion>`;
}

export type Signing = "assertion" | "response" | "both";

/** Signs a response as large providers do: the assertion first, then what holds it. */
export function signed(text: string, key: KeyPair, signing: Signing, how: HowSigned = {}): string {
  const inner = signing === "response" ? text : signature(text, key, "Assertion", how);
  return signing === "assertion" ? inner : signature(inner, key, "Response", how);
}

export interface HowSigned {
  algorithm?: string;
  digest?: string;
  canonicalization?: string;
  transforms?: string[];
  prefixes?: string[];
}

/** Signs the element of that name. */
export function signature(text: string, key: KeyPair, name: string, how: HowSigned = {}): string {
  const xpath = `//*[local-name(.)='${name}']`;
  const signer = new SignedXml({
    privateKey: key.privateKey,
    publicCert: key.certificate,
    signatureAlgorithm: how.algorithm ?? "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    canonicalizationAlgorithm: (how.canonicalization ?? EXCLUSIVE) as typeof EXCLUSIVE,
  });
  signer.addReference({
    xpath,
    transforms: how.transforms ?? [`${DSIG}enveloped-signature`, EXCLUSIVE],
    digestAlgorithm: how.digest ?? "http://www.w3.org/2001/04/xmlenc#sha256",
    inclusiveNamespacesPrefixList: how.prefixes ?? [],
  });
  const location = { reference: `${xpath}/*[local-name(.)='Issuer']`, action: "after" as const };
  signer.computeSignature(text, { prefix: "ds", location });
  return signer.getSignedXml();
}

/** Puts an encrypted assertion in the place of the open one. */
export async function encrypted(text: string, key: KeyPair, algorithm = GCM, keyAlgorithm = OAEP): Promise<string> {
  const start = text.indexOf("<saml:Assertion");
  const end = text.indexOf("</saml:Assertion>") + "</saml:Assertion>".length;
  const content = await encryptAsync(text.slice(start, end), {
    rsa_pub: key.certificate,
    pem: key.certificate,
    encryptionAlgorithm: algorithm as typeof GCM,
    keyEncryptionAlgorithm: keyAlgorithm as typeof OAEP,
    warnInsecureAlgorithm: false,
  });
  return `${text.slice(0, start)}<saml:EncryptedAssertion>${content}</saml:EncryptedAssertion>${text.slice(end)}`;
}

export const SAML = "urn:oasis:names:tc:SAML:2.0:assertion";
export const SAMLP = "urn:oasis:names:tc:SAML:2.0:protocol";
export const DSIG = "http://www.w3.org/2000/09/xmldsig#";
export const PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";
const GCM = "http://www.w3.org/2009/xmlenc11#aes256-gcm";
const OAEP = "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p";

const encryptAsync = promisify(encrypt);

export function at(ms: number): string {
  return new Date(ms).toISOString();
}

export function base64(text: string | Uint8Array): string {
  return Buffer.from(text).toString("base64");
}

/** Changes one thing; throws where there is nothing to change, so that no attack is the good message by mistake. */
export function edit(text: string, from: string | RegExp, to: string): string {
  const changed = text.replace(from, () => to);
  if (changed === text) {
    throw new Error(`nothing to change: ${from}`);
  }
  return changed;
}
