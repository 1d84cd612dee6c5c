import { deflateRawSync, gzipSync } from "node:zlib";
import type { RefusalCode } from "../../saml/protocol/refusal.js";
import type { Attack } from "./attack.js";
import { base64, edit, type Provider, responseText, type Said, signed } from "./provider.js";

/** Parameters that are no message, messages that are no XML, XML that is more than we read. */
export function malformed(): Attack[] {
  return [
    ...parameters.map(([name, code, message]) => ({ name, code, message: () => message })),
    ...bytes.map(([name, code, content]) => ({ name, code, message: () => base64(content) })),
    ...changes.map(([name, code, change]) => ({
      name,
      code,
      message: (provider: Provider, said: Said) => base64(change(good(provider, said))),
    })),
    ...CUTS.map((share) => ({
      name: `cut to ${share} of 10 parts`,
      code: "not_well_formed" as const,
      message: (provider: Provider, said: Said) => {
        const text = good(provider, said);
        return base64(text.slice(0, Math.floor((text.length * share) / 10)));
      },
    })),
  ];
}

function good(provider: Provider, said: Said): string {
  return signed(responseText(provider, said), provider.key, "assertion");
}

const CUTS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const OPEN = "<samlp:Response";

const parameters: [string, RefusalCode, string][] = [
  ["nothing", "encoding", ""],
  ["a line", "encoding", "\r\n"],
  ["plain XML", "encoding", "<samlp:Response/>"],
  ["JSON", "encoding", '{"SAMLResponse":"x"}'],
  ["base64 for URLs", "encoding", "PD94_-A="],
  ["base64 without its end", "encoding", "PGEvPg="],
  ["base64 with text behind", "encoding", "PGEvPg==PGEvPg=="],
  ["base64 with blanks", "encoding", "PGEv Pg=="],
  ["base64 with a null character", "encoding", "PGEv\u0000Pg=="],
  ["letters that only look like base64", "encoding", "РGЕvРg=="],
  ["more than is read", "too_large", "A".repeat(262_148)],
  ["as much as is read", "not_well_formed", "QUFB".repeat(65_536)],
];

const bytes: [string, RefusalCode, string | Uint8Array][] = [
  ["nothing but blanks", "not_well_formed", "   "],
  ["text", "not_well_formed", "hello"],
  ["an element of another kind", "root", "<a/>"],
  ["HTML", "markup_forbidden", "<!doctype html><html></html>"],
  ["a response without content", "version", '<Response xmlns="urn:oasis:names:tc:SAML:2.0:protocol"/>'],
  ["a byte that is not UTF-8", "encoding", Uint8Array.from([0x3c, 0x61, 0xff, 0x2f, 0x3e])],
  ["a letter in more bytes than it needs", "encoding", Uint8Array.from([0xc0, 0xbc, 0x61, 0x2f, 0x3e])],
  ["half a surrogate pair", "encoding", Uint8Array.from([0x3c, 0xed, 0xa0, 0x80, 0x3e])],
  ["UTF-16", "encoding", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("<a/>", "utf16le")])],
  ["a byte order mark", "characters", "\uFEFF<a/>"],
  ["a null character", "characters", "<a>\u0000</a>"],
  ["a control character", "characters", "<a>\u0007</a>"],
  ["deflated XML", "encoding", deflateRawSync(Buffer.from("<a>ä</a>".repeat(9)))],
  ["zipped XML", "encoding", gzipSync("<a/>")],
  ["41 levels", "too_complex", `${"<a>".repeat(41)}${"</a>".repeat(41)}`],
  ["100,000 levels", "too_complex", "<a>".repeat(60_000)],
  ["12,001 tags", "too_complex", `<a>${`<a>${"<a/>".repeat(1_999)}</a>`.repeat(6)}</a>`],
  ["2,501 elements in one", "too_complex", `<a>${"<a/>".repeat(2_501)}</a>`],
  ["a blank that XML does not know", "not_well_formed", '<a\u00A0b="c"/>'],
  ["65 attributes", "too_complex", `<a${Array.from({ length: 65 }, (_, index) => ` a${index}=""`).join("")}/>`],
  ["20,000 attributes", "too_complex", `<a${Array.from({ length: 20_000 }, (_, index) => ` a${index}=""`).join("")}/>`],
  ["a long name", "root", `<${"a".repeat(100_000)}/>`],
  ["a tag of blanks", "not_well_formed", `<a${" ".repeat(190_000)}`],
  ["a value without end", "not_well_formed", `<a b="${"x".repeat(190_000)}`],
  ["attributes without end", "not_well_formed", `<a${" b=''".repeat(30_000)}`],
  ["opening brackets", "not_well_formed", "<".repeat(190_000)],
  ["references without end", "markup_forbidden", "&".repeat(190_000)],
];

const changes: [string, RefusalCode, (text: string) => string][] = [
  ["a document type", "markup_forbidden", (text) => `<!DOCTYPE r SYSTEM "https://other.example/x.dtd">${text}`],
  ["entities that grow", "markup_forbidden", (text) => `<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${text}`],
  ["a file as entity", "markup_forbidden", (text) => `<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>${text}`],
  ["an entity that nobody declared", "markup_forbidden", (text) => edit(text, ">ada<", ">&nbsp;<")],
  ["a bare ampersand", "markup_forbidden", (text) => edit(text, ">ada<", ">a&da<")],
  ["a null character by number", "characters", (text) => edit(text, ">ada<", ">a&#0;da<")],
  ["a character beyond all", "characters", (text) => edit(text, ">ada<", ">&#x110000;<")],
  ["half a pair by number", "characters", (text) => edit(text, ">ada<", ">&#xD800;<")],
  ["CDATA", "markup_forbidden", (text) => edit(text, ">ada<", "><![CDATA[ada]]><")],
  ["an end of CDATA", "markup_forbidden", (text) => edit(text, ">ada<", ">ada]]><")],
  ["a comment", "markup_forbidden", (text) => edit(text, "<samlp:Status>", "<!-- --><samlp:Status>")],
  ["a comment within the name", "markup_forbidden", (text) => edit(text, ">ada<", ">ada<!---->.root<")],
  [
    "a comment within the digest",
    "markup_forbidden",
    (text) => edit(text, "<ds:DigestValue>", "<ds:DigestValue><!--AAAA-->"),
  ],
  ["a processing instruction", "markup_forbidden", (text) => edit(text, "<samlp:Status>", "<?x y?><samlp:Status>")],
  ["a stylesheet", "markup_forbidden", (text) => `<?xml-stylesheet href="https://other.example"?>${text}`],
  ["another version of XML", "markup_forbidden", (text) => `<?xml version="1.1"?>${text}`],
  ["another encoding", "markup_forbidden", (text) => `<?xml version="1.0" encoding="UTF-7"?>${text}`],
  ["two declarations", "markup_forbidden", (text) => `<?xml version="1.0"?><?xml version="1.0"?>${text}`],
  ["text before", "not_well_formed", (text) => `x${text}`],
  ["text behind", "not_well_formed", (text) => `${text}x`],
  ["itself twice", "not_well_formed", (text) => `${text}${text}`],
  ["an end too many", "not_well_formed", (text) => `${text}</samlp:Response>`],
  ["an end of another", "not_well_formed", (text) => edit(text, "</saml:NameID>", "</saml:Subject>")],
  ["an end with an attribute", "not_well_formed", (text) => edit(text, "</samlp:Response>", '</samlp:Response a="b">')],
  ["an attribute twice", "not_well_formed", (text) => edit(text, OPEN, `${OPEN} Version="2.0"`)],
  ["an attribute without quotes", "not_well_formed", (text) => edit(text, OPEN, `${OPEN} a=b`)],
  ["an attribute without value", "not_well_formed", (text) => edit(text, OPEN, `${OPEN} a`)],
  ["a bracket in an attribute", "not_well_formed", (text) => edit(text, OPEN, `${OPEN} a="<"`)],
  [
    "a prefix that nobody declared",
    "structure",
    (text) => edit(text, "<samlp:Status>", "<nobody:Status/><samlp:Status>"),
  ],
  [
    "a name with letters that others normalise",
    "not_well_formed",
    (text) => edit(text, "<samlp:Status>", "<ﬁ/><samlp:Status>"),
  ],
];
