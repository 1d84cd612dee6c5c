import { createHash } from "node:crypto";
import type { KeyPair } from "./key-pair.js";
import { AES128_GCM, AES256_GCM, DSIG, METADATA, POST_BINDING, PROTOCOL, REDIRECT_BINDING, RSA_OAEP } from "./names.js";
import { signedXml } from "./signed-xml.js";
import { joined, type XmlText, xml } from "./xml-text.js";

export interface SpMetadata {
  entityId: string;
  acsUrl: string;
  sloUrl: string;
  /** The key that signs now comes first; the next one stands beside it, so that providers know it in time. */
  signing: readonly [KeyPair, ...KeyPair[]];
  encryption: readonly Pick<KeyPair, "certificate">[];
  nowMs: number;
}

/** What we say of ourselves to identity providers, signed. The same octets all day, so that caches and tags hold. */
export function spMetadata({ entityId, acsUrl, sloUrl, signing, encryption, nowMs }: SpMetadata): string {
  const content = xml`<md:SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true" \
protocolSupportEnumeration="${PROTOCOL}">${joined([
    ...signing.map((key) => keyDescriptor("signing", key, [])),
    ...encryption.map((key) => keyDescriptor("encryption", key, [AES256_GCM, AES128_GCM, RSA_OAEP])),
    ...[REDIRECT_BINDING, POST_BINDING].map(
      (binding) => xml`<md:SingleLogoutService Binding="${binding}" Location="${sloUrl}"/>`,
    ),
    ...NAME_ID_FORMATS.map((format) => xml`<md:NameIDFormat>${format}</md:NameIDFormat>`),
  ])}<md:AssertionConsumerService Binding="${POST_BINDING}" Location="${acsUrl}" index="0" isDefault="true"/>\
</md:SPSSODescriptor>`;
  const rest = xml` entityID="${entityId}" validUntil="${validUntil(nowMs)}" cacheDuration="PT24H"`;
  const id = `_${createHash("sha256").update(rest.text).update(content.text).digest("hex")}`;
  const { text } = xml`<md:EntityDescriptor xmlns:md="${METADATA}" ID="${id}"${rest}>${content}</md:EntityDescriptor>`;
  return signedXml(text, signing[0], "first");
}

const VALID_DAYS = 7;
const DAY_MS = 86_400_000;
const NAME_ID_FORMATS = [
  "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
];

function validUntil(nowMs: number): string {
  return new Date((Math.floor(nowMs / DAY_MS) + VALID_DAYS) * DAY_MS).toISOString();
}

function keyDescriptor(
  use: string,
  { certificate }: Pick<KeyPair, "certificate">,
  methods: readonly string[],
): XmlText {
  const bare = certificate.replace(/-----(?:BEGIN|END) CERTIFICATE-----|\s/g, "");
  return xml`<md:KeyDescriptor use="${use}"><ds:KeyInfo xmlns:ds="${DSIG}"><ds:X509Data>\
<ds:X509Certificate>${bare}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>${joined(
    methods.map((method) => xml`<md:EncryptionMethod Algorithm="${method}"/>`),
  )}</md:KeyDescriptor>`;
}
