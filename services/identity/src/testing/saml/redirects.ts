import { deflateRawSync } from "node:zlib";
import type { RefusalCode } from "../../saml/protocol/refusal.js";
import { type HowSent, logoutRequestText, redirectQuery } from "./logout.js";
import { at, edit, type Provider, signature } from "./provider.js";

/** A hostile query of the Redirect binding, and for what it must be refused. */
export interface RedirectAttack {
  name: string;
  code: RefusalCode;
  query(provider: Provider, nowMs: number): string;
}

export function redirects(): RedirectAttack[] {
  return [...queries(), ...messages()];
}

function queries(): RedirectAttack[] {
  return [
    sent("without a signature", "unsigned", (query) => edit(query, /&Signature=.*/, "")),
    sent("without an algorithm", "unsigned", (query) => edit(query, /&SigAlg=[^&]*/, "")),
    sent("with an empty signature", "encoding", (query) => edit(query, /(?<=&Signature=).*/, "")),
    sent("with another signature", "signature", (query) => edit(query, /(?<=&Signature=)(%..|[^%]){4}/, "AAAA")),
    sent("with another relay state", "signature", (query) => edit(query, "RelayState=here", "RelayState=there")),
    sent("without the relay state that was signed", "signature", (query) => edit(query, "&RelayState=here", "")),
    sent("with the message twice", "query", (query) => `${query}&${query.split("&")[0]}`),
    sent("with the signature twice", "query", (query) => `${query}&Signature=AAAA`),
    sent("with a request and a response", "query", (query) => `${query}&SAMLResponse=AAAA`),
    sent("with a key in other letters", "query", (query) => edit(query, "SAMLRequest", "%53AMLRequest")),
    sent("with a second message under such a key", "query", (query) => `%53AMLRequest=AAAA&${query}`),
    sent("with a key of other meaning", "query", (query) => `${query}&SAMLEncoding=x`),
    sent("with a key without value", "query", (query) => `${query}&RelayState2`),
    sent("with a broken escape", "query", (query) => edit(query, "RelayState=here", "RelayState=%E0%A4%A")),
    sent("with an algorithm written otherwise", "signature", (query) => edit(query, "SigAlg=http%3A", "SigAlg=http:")),
    { name: "with SHA-1", code: "algorithm", query: (provider, nowMs) => good(provider, nowMs, SHA1) },
    {
      name: "signed by somebody else",
      code: "signature",
      query: (provider, nowMs) => redirectQuery(logoutRequestText(provider, nowMs), provider.foreign),
    },
    {
      name: "that grows",
      code: "deflate",
      query: (provider) => redirectQuery(`<a>${"a".repeat(50_000_000)}</a>`, provider.key),
    },
    {
      name: "that is not deflated",
      code: "deflate",
      query: (provider, nowMs) => edit(good(provider, nowMs), /=[^&]*/, "=PGEvPg=="),
    },
    {
      name: "of which the end is missing",
      code: "deflate",
      query: (provider, nowMs) => edit(good(provider, nowMs), /=[^&]*/, `=${cut()}`),
    },
  ];
}

function messages(): RedirectAttack[] {
  return [
    said("with a signature inside", "signature_place", (text, provider) =>
      signature(text, provider.key, "LogoutRequest"),
    ),
    said("from somebody else", "issuer", (text) => edit(text, /(?<=<saml:Issuer>)[^<]*/, "https://other.example")),
    said("for another service", "destination", (text) =>
      edit(text, /(?<=Destination=")[^"]*/, "https://other.example"),
    ),
    said("for nobody", "destination", (text) => edit(text, / Destination="[^"]*"/, "")),
    said("made long ago", "issue_instant", (text, _, nowMs) =>
      edit(text, /(?<=IssueInstant=")[^"]*/, at(nowMs - 360_001)),
    ),
    said("made in the future", "issue_instant", (text, _, nowMs) =>
      edit(text, /(?<=IssueInstant=")[^"]*/, at(nowMs + 65_000)),
    ),
    said("that has ended", "expired", (text, _, nowMs) => edit(text, /(?<=NotOnOrAfter=")[^"]*/, at(nowMs - 60_000))),
    said("of another version", "version", (text) => edit(text, 'Version="2.0"', 'Version="1.1"')),
    said("of another kind", "root", (text) => text.replaceAll("LogoutRequest", "AuthnRequest")),
    said("for nobody's sessions", "name_id", (text) => edit(text, /<saml:NameID>.*<\/saml:NameID>/, "")),
    said("with a document type", "markup_forbidden", (text) => `<!DOCTYPE x>${text}`),
    said("with a comment in the name", "markup_forbidden", (text) => edit(text, ">ada<", ">ada<!---->.root<")),
    said("with an assertion inside", "assertion_count", (text) =>
      edit(text, "</samlp:L", "<saml:Assertion/></samlp:L"),
    ),
  ];
}

const SHA1: HowSent = { algorithm: "http://www.w3.org/2000/09/xmldsig#rsa-sha1", digest: "RSA-SHA1" };

function good(provider: Provider, nowMs: number, how: HowSent = {}): string {
  return redirectQuery(logoutRequestText(provider, nowMs), provider.key, { relayState: "here", ...how });
}

function cut(): string {
  const deflated = deflateRawSync("<samlp:LogoutRequest/>".repeat(9));
  return encodeURIComponent(deflated.subarray(0, deflated.length - 4).toString("base64"));
}

function sent(name: string, code: RefusalCode, change: (query: string) => string): RedirectAttack {
  return { name, code, query: (provider, nowMs) => change(good(provider, nowMs)) };
}

function said(
  name: string,
  code: RefusalCode,
  change: (text: string, provider: Provider, nowMs: number) => string,
): RedirectAttack {
  const query = (provider: Provider, nowMs: number) =>
    redirectQuery(change(logoutRequestText(provider, nowMs), provider, nowMs), provider.key);
  return { name, code, query };
}
