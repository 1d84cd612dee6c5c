import { createHmac } from "node:crypto";
import type { RefusalCode } from "../../saml/protocol/refusal.js";
import { type Attack, changedOnTheWay } from "./attack.js";
import { base64, DSIG, edit, type HowSigned, type Provider, responseText, type Said, signed } from "./provider.js";

/** Signatures that are not the provider's, cover something else, or are made in a way that we do not take. */
export function signings(): Attack[] {
  return [...otherwise.map(([name, code, how]) => signedOtherwise(name, code, how)), ...changed, around, foreign, hmac];
}

const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";
const INCLUSIVE = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const METHOD = /<ds:CanonicalizationMethod [^>]*>/;
const ENVELOPED = `${DSIG}enveloped-signature`;

/** Each is a signature that verifies. */
const otherwise: [string, RefusalCode, HowSigned][] = [
  ["rsa-sha1", "algorithm", { algorithm: `${DSIG}rsa-sha1` }],
  ["rsa-pss", "algorithm", { algorithm: "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1" }],
  ["sha1", "algorithm", { digest: `${DSIG}sha1` }],
  ["canonical form with comments", "algorithm", { canonicalization: `${EXCLUSIVE}WithComments` }],
  ["inclusive canonical form", "algorithm", { canonicalization: INCLUSIVE }],
  ["a transform with comments", "algorithm", { transforms: [ENVELOPED, `${EXCLUSIVE}WithComments`] }],
  ["an inclusive transform", "algorithm", { transforms: [ENVELOPED, INCLUSIVE] }],
  ["a transform too many", "signature_form", { transforms: [ENVELOPED, EXCLUSIVE, EXCLUSIVE] }],
  ["a transform too few", "signature_form", { transforms: [ENVELOPED] }],
];

const altered = "<ds:DigestValue>AAAA</ds:DigestValue>";

const changed: Attack[] = [
  onTheWay("another name", "signature", ">ada<", ">mallory<"),
  onTheWay("another value of an attribute", "signature", ">ada@example.com<", ">mallory@example.com<"),
  onTheWay("another audience", "signature", /<saml:Audience>[^<]*/, "<saml:Audience>https://other.example"),
  onTheWay("a longer life", "signature", /(?<=NotBefore="[^"]*" )NotOnOrAfter="\d{4}/, 'NotOnOrAfter="2999'),
  onTheWay(
    "another issuer of the assertion",
    "signature",
    /(?<=Assertion.*<saml:Issuer>)[^<]*/,
    "https://other.example",
  ),
  onTheWay("a blank more", "signature", "<saml:Subject>", "<saml:Subject> "),
  onTheWay("an empty signature", "signature_form", /(?<=<ds:SignatureValue>)[^<]*/, ""),
  onTheWay("another signature", "signature", /(?<=<ds:SignatureValue>)..../, "AAAA"),
  onTheWay("another digest", "signature", /<ds:DigestValue>[^<]*<\/ds:DigestValue>/, altered),
  onTheWay("a digest in parts", "signature_form", "<ds:DigestValue>", "<ds:DigestValue><x/>"),
  onTheWay("two digests", "signature_form", "<ds:DigestValue>", `${altered}<ds:DigestValue>`),
  onTheWay("a reference to all", "signature_reference", 'URI="#_assertion"', 'URI=""'),
  onTheWay("a reference to nothing", "signature_reference", ' URI="#_assertion"', ""),
  onTheWay("a reference elsewhere", "signature_reference", 'URI="#_assertion"', 'URI="#_response"'),
  onTheWay("a reference by XPointer", "signature_reference", 'URI="#_assertion"', `URI="#xpointer(id('_assertion'))"`),
  onTheWay("a reference to another server", "signature_reference", 'URI="#_assertion"', 'URI="https://other.example"'),
  onTheWay("two references", "signature_form", "</ds:Reference>", `</ds:Reference><ds:Reference URI="#_assertion"/>`),
  onTheWay("no reference", "signature_form", /<ds:Reference.*?<\/ds:Reference>/, ""),
  onTheWay("two SignedInfo", "signature_form", "<ds:SignatureValue>", "<ds:SignedInfo/><ds:SignatureValue>"),
  onTheWay("no SignedInfo", "signature_form", /<ds:SignedInfo>.*?<\/ds:SignedInfo>/, ""),
  onTheWay(
    "two signature values",
    "signature_form",
    "<ds:KeyInfo>",
    "<ds:SignatureValue>AAAA</ds:SignatureValue><ds:KeyInfo>",
  ),
  onTheWay("an Object", "signature_form", "</ds:Signature>", "<ds:Object/></ds:Signature>"),
  onTheWay("XSLT", "algorithm", `Algorithm="${ENVELOPED}"`, 'Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"'),
  onTheWay(
    "XPath",
    "algorithm",
    `Algorithm="${ENVELOPED}"`,
    'Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"',
  ),
  onTheWay("more prefixes than anybody has", "algorithm", METHOD, kept(`PrefixList="${"a ".repeat(20_000)}"`)),
  onTheWay(
    "a second signature among the prefixes",
    "algorithm",
    METHOD,
    kept('PrefixList="xs"', "<ds:SignatureValue>AAAA</ds:SignatureValue>"),
  ),
  onTheWay(
    "an algorithm in a namespace of its own",
    "signature_form",
    "<ds:DigestMethod ",
    `<ds:DigestMethod xmlns:x="urn:x" x:Algorithm="${DSIG}sha1" `,
  ),
  onTheWay(
    "a target in a namespace of its own",
    "signature_form",
    "<ds:Reference ",
    '<ds:Reference xmlns:x="urn:x" x:URI="#_response" ',
  ),
  onTheWay("a length of the digest", "algorithm", /(<ds:SignatureMethod [^>]*)\/>/, hmacLength()),
];

/** The assertion is good; what is around it was signed, and is not what was signed. */
const around: Attack = changedOnTheWay("another response around a good assertion", "signature", "both", (text) =>
  edit(text, "<samlp:Response", '<samlp:Response Consent="urn:x"'),
);

const foreign: Attack = {
  name: "signed by somebody else, whose certificate comes along",
  code: "signature",
  message: (provider, said) => base64(signed(responseText(provider, said), provider.foreign, "assertion")),
};

/** What is public of the provider's key, taken for a shared secret. */
const hmac: Attack = changedOnTheWay(
  "HMAC with the certificate as its secret",
  "algorithm",
  "assertion",
  (text, { key }) => {
    const mac = createHmac("sha1", key.certificate).update(text).digest("base64");
    const method = /<ds:SignatureMethod [^>]*>/;
    const hashed = edit(text, method, `<ds:SignatureMethod Algorithm="${DSIG}hmac-sha1"/>`);
    return edit(hashed, /(?<=<ds:SignatureValue>)[^<]*/, mac);
  },
);

/** The canonical form of SignedInfo, which keeps some prefixes. */
function kept(attributes: string, content = ""): string {
  const names = `<ec:InclusiveNamespaces xmlns:ec="${EXCLUSIVE}" ${attributes}>${content}</ec:InclusiveNamespaces>`;
  return `<ds:CanonicalizationMethod Algorithm="${EXCLUSIVE}">${names}</ds:CanonicalizationMethod>`;
}

function hmacLength(): string {
  const algorithm = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
  return `<ds:SignatureMethod Algorithm="${algorithm}"><ds:HMACOutputLength>1</ds:HMACOutputLength></ds:SignatureMethod>`;
}

function onTheWay(name: string, code: RefusalCode, from: string | RegExp, to: string): Attack {
  return changedOnTheWay(name, code, "assertion", (text) => edit(text, from, to));
}

function signedOtherwise(name: string, code: RefusalCode, how: HowSigned): Attack {
  const message = (provider: Provider, said: Said) =>
    base64(signed(responseText(provider, said), provider.key, "assertion", how));
  return { name: `signed with ${name}`, code, message };
}
