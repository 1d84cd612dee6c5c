import type { RefusalCode } from "../../saml/protocol/refusal.js";
import { type Attack, saidBy } from "./attack.js";
import { at, edit, PERSISTENT } from "./provider.js";

/** What a provider may say, with good signatures, and must not be believed or not be believed here and now. */
export function claims(): Attack[] {
  const fixed = [...ofResponses, ...ofAssertions].map(([name, code, from, to]) =>
    saidBy(name, code, (text) => edit(text, from, to)),
  );
  const timed = times.map(([name, code, from, changed]) =>
    saidBy(name, code, (text, { nowMs }) => edit(text, from, changed(nowMs))),
  );
  return [...fixed, ...timed, otherFormat];
}

type Row = [string, RefusalCode, string | RegExp, string];

const STATUS = "urn:oasis:names:tc:SAML:2.0:status:";
const SUCCESS = `<samlp:StatusCode Value="${STATUS}Success"/>`;
const RESPONDER = `${STATUS}Responder`;
const ISSUER = "<saml:Issuer>https://idp.example/metadata</saml:Issuer>";
const OTHER = "<saml:Issuer>https://other.example</saml:Issuer>";
/** Something that stands in the assertion, not in the response around it. */
const inAssertion = (pattern: string) => new RegExp(`(?<=<saml:Assertion.*)${pattern}`);
const NAME_ID = /<saml:NameID.*<\/saml:NameID>/;
const CONFIRMATION = /<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/;
const CONDITIONS = /<saml:Conditions.*<\/saml:Conditions>/;
const RESTRICTION = /<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/;
const AUDIENCE = "<saml:Audience>https://assistant.example/saml/metadata</saml:Audience>";
const STATEMENT = /<saml:AuthnStatement.*<\/saml:AuthnStatement>/;

const ofResponses: Row[] = [
  ["SAML 1.1", "version", 'Version="2.0"', 'Version="1.1"'],
  ["no version", "version", ' Version="2.0"', ""],
  ["for another service", "destination", /Destination="[^"]*"/, 'Destination="https://other.example/acs"'],
  ["for nobody", "destination", / Destination="[^"]*"/, ""],
  ["for a longer address", "destination", '/saml/acs" InResponseTo', '/saml/acs?x" InResponseTo'],
  ["for an address in other letters", "destination", /(?<=Destination=")https:\/\/a/, "https://A"],
  ["from somebody else", "issuer", ISSUER, OTHER],
  ["from two", "structure", ISSUER, ISSUER + ISSUER],
  ["from what is no entity", "issuer", "<saml:Issuer>", `<saml:Issuer Format="${PERSISTENT}">`],
  ["in answer to another request", "in_response_to", /InResponseTo="[^"]*"/, 'InResponseTo="_other"'],
  ["in answer to none", "in_response_to", / InResponseTo="[^"]*"/, ""],
  ["that the provider failed", "status", `${STATUS}Success`, RESPONDER],
  ["that we failed", "status", `${STATUS}Success`, `${STATUS}Requester`],
  ["success within failure", "status", SUCCESS, `<samlp:StatusCode Value="${RESPONDER}">${SUCCESS}</samlp:StatusCode>`],
  ["success and failure", "status", SUCCESS, `${SUCCESS}<samlp:StatusCode Value="${RESPONDER}"/>`],
  ["no status", "status", /<samlp:Status>.*<\/samlp:Status>/, ""],
  ["two statuses", "structure", "<samlp:Status>", `<samlp:Status>${SUCCESS}</samlp:Status><samlp:Status>`],
  ["no time", "issue_instant", / IssueInstant="[^"]*"/, ""],
  ["a time without zone", "issue_instant", /(?<=IssueInstant="[^"]*)Z/, ""],
  ["a time of another zone", "issue_instant", /(?<=IssueInstant="[^"]*)Z/, "+14:00"],
  ["a time that is none", "issue_instant", /(?<=IssueInstant=")[^"]*/, "now"],
  ["an issuer of another namespace", "structure", "<saml:Issuer>", '<saml:Issuer xmlns:saml="urn:x">'],
  ["a status of another namespace", "structure", "<samlp:Status>", '<samlp:Status xmlns:samlp="urn:x">'],
  ["what nobody knows", "structure", "<samlp:Status>", '<x:More xmlns:x="urn:x"/><samlp:Status>'],
];

const ofAssertions: Row[] = [
  ["an assertion of SAML 1.1", "version", inAssertion('Version="2.0"'), 'Version="1.1"'],
  ["an assertion from somebody else", "issuer", inAssertion(ISSUER), OTHER],
  [
    "an assertion from whose name begins like it",
    "issuer",
    inAssertion("/metadata</saml:Issuer>"),
    "/metadata/x</saml:Issuer>",
  ],
  ["an assertion with what nobody knows", "structure", "<saml:Subject>", '<x:More xmlns:x="urn:x"/><saml:Subject>'],
  ["an assertion without time", "signature", inAssertion(' IssueInstant="[^"]*"'), ""],
  ["no subject", "subject", /<saml:Subject>.*<\/saml:Subject>/, ""],
  ["two subjects", "subject", "</saml:Subject>", "</saml:Subject><saml:Subject/>"],
  ["no name", "name_id", NAME_ID, ""],
  ["an empty name", "name_id", ">ada<", "><"],
  ["a name of blanks", "name_id", ">ada<", ">   <"],
  ["a name that is too long", "name_id", ">ada<", `>${"a".repeat(257)}<`],
  ["a name of two lines", "name_id", ">ada<", ">ada\nroot<"],
  ["two names", "name_id", "</saml:NameID>", "</saml:NameID><saml:NameID>root</saml:NameID>"],
  ["a name with parts", "name_id", ">ada<", "><x>ada</x><"],
  ["a name for this once", "name_id_format", PERSISTENT, "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"],
  ["a name of another namespace", "name_id", "<saml:NameID ", '<saml:NameID xmlns:saml="urn:x" '],
  ["a subject of another namespace", "structure", "<saml:Subject>", '<saml:Subject xmlns:saml="urn:x">'],
  [
    "a confirmation of another namespace",
    "confirmation",
    "<saml:SubjectConfirmation ",
    '<saml:SubjectConfirmation xmlns:saml="urn:x" ',
  ],
  ["an audience of another namespace", "audience", "<saml:Audience>", '<saml:Audience xmlns:saml="urn:x">'],
  ["a sign-in of another namespace", "structure", "<saml:AuthnStatement ", '<saml:AuthnStatement xmlns:saml="urn:x" '],
  ["an encrypted name", "encrypted_part", NAME_ID, "<saml:EncryptedID/>"],
  ["no confirmation", "confirmation", CONFIRMATION, ""],
  ["a confirmation by key", "confirmation", "cm:bearer", "cm:holder-of-key"],
  ["a confirmation by vouching", "confirmation", "cm:bearer", "cm:sender-vouches"],
  ["a confirmation of nothing", "confirmation", /<saml:SubjectConfirmationData[^>]*>/, ""],
  ["a confirmation for elsewhere", "confirmation", /Recipient="[^"]*"/, 'Recipient="https://other.example/acs"'],
  ["a confirmation for nowhere", "confirmation", / Recipient="[^"]*"/, ""],
  [
    "a confirmation without end",
    "signature",
    inAssertion('SubjectConfirmationData NotOnOrAfter="[^"]*"'),
    "SubjectConfirmationData",
  ],
  ["a confirmation of another request", "confirmation", inAssertion('InResponseTo="[^"]*"'), 'InResponseTo="_other"'],
  ["a confirmation of no request", "confirmation", inAssertion(' InResponseTo="[^"]*"'), ""],
  ["no conditions", "signature", CONDITIONS, ""],
  ["two conditions", "conditions", "</saml:Conditions>", "</saml:Conditions><saml:Conditions/>"],
  [
    "a condition that nobody knows",
    "conditions",
    "<saml:AudienceRestriction>",
    "<saml:Condition/><saml:AudienceRestriction>",
  ],
  [
    "a condition of another namespace",
    "conditions",
    "<saml:AudienceRestriction>",
    '<x:OneTimeUse xmlns:x="urn:x"/><saml:AudienceRestriction>',
  ],
  [
    "conditions without end",
    "signature",
    / NotOnOrAfter="[^"]*"><saml:AudienceRestriction>/,
    "><saml:AudienceRestriction>",
  ],
  ["no audience", "audience", RESTRICTION, ""],
  ["another audience", "audience", AUDIENCE, "<saml:Audience>https://other.example</saml:Audience>"],
  ["an audience that begins like us", "audience", "metadata</saml:Audience>", "metadata/x</saml:Audience>"],
  [
    "us, and others at once",
    "audience",
    RESTRICTION,
    `<saml:AudienceRestriction>${AUDIENCE}</saml:AudienceRestriction><saml:AudienceRestriction><saml:Audience>https://other.example</saml:Audience></saml:AudienceRestriction>`,
  ],
  [
    "an empty restriction beside ours",
    "audience",
    "<saml:AudienceRestriction>",
    "<saml:AudienceRestriction/><saml:AudienceRestriction>",
  ],
  ["no sign-in", "authn_statement", STATEMENT, ""],
  ["a sign-in without time", "authn_statement", / AuthnInstant="[^"]*"/, ""],
  ["an empty session index", "authn_statement", 'SessionIndex="_session"', 'SessionIndex=""'],
  ["an attribute without name", "signature", ' Name="email"', ""],
  ["an attribute with an empty name", "attributes", 'Name="email"', 'Name=""'],
  [
    "more values than we read",
    "attributes",
    "</saml:AttributeStatement>",
    `${values(2_000)}</saml:AttributeStatement>`,
  ],
];

function values(count: number): string {
  return `<saml:Attribute Name="groups">${"<saml:AttributeValue>g</saml:AttributeValue>".repeat(count)}</saml:Attribute>`;
}

const MINUTE_MS = 60_000;

/** Clocks may differ by a minute. */
const times: [string, RefusalCode, RegExp, (nowMs: number) => string][] = [
  ["made in the future", "issue_instant", /(?<=IssueInstant=")[^"]*/, (nowMs) => at(nowMs + MINUTE_MS + 5_000)],
  ["made long ago", "issue_instant", /(?<=IssueInstant=")[^"]*/, (nowMs) => at(nowMs - 6 * MINUTE_MS - 1)],
  [
    "an assertion made in the future",
    "issue_instant",
    inAssertion('(?<=IssueInstant=")[^"]*'),
    (nowMs) => at(nowMs + MINUTE_MS + 5_000),
  ],
  [
    "an assertion made long ago",
    "confirmation",
    inAssertion('(?<=IssueInstant=")[^"]*'),
    (nowMs) => at(nowMs - 6 * MINUTE_MS - 1),
  ],
  [
    "a confirmation that has ended",
    "confirmation",
    /(?<=SubjectConfirmationData NotOnOrAfter=")[^"]*/,
    (nowMs) => at(nowMs - MINUTE_MS),
  ],
  [
    "a confirmation that begins",
    "confirmation",
    /SubjectConfirmationData /,
    (nowMs) => `SubjectConfirmationData NotBefore="${at(nowMs)}" `,
  ],
  [
    "conditions that have not begun",
    "expired",
    /(?<=Conditions NotBefore=")[^"]*/,
    (nowMs) => at(nowMs + MINUTE_MS + 5_000),
  ],
  ["conditions that have ended", "expired", /(?<=Conditions.* NotOnOrAfter=")[^"]*/, (nowMs) => at(nowMs - MINUTE_MS)],
  [
    "conditions that hold for too long",
    "conditions",
    /(?<=Conditions.* NotOnOrAfter=")[^"]*/,
    (nowMs) => at(nowMs + 70 * MINUTE_MS + 1),
  ],
  [
    "conditions that end before they begin",
    "expired",
    /(?<=Conditions NotBefore=")[^"]*(?=" NotOnOrAfter)/,
    (nowMs) => at(nowMs + 6 * MINUTE_MS),
  ],
  ["a sign-in in the future", "authn_statement", /(?<=AuthnInstant=")[^"]*/, (nowMs) => at(nowMs + MINUTE_MS + 5_000)],
  [
    "a session that has ended",
    "session_ended",
    /(?=SessionIndex)/,
    (nowMs) => `SessionNotOnOrAfter="${at(nowMs - MINUTE_MS)}" `,
  ],
];

const otherFormat: Attack = {
  ...saidBy("a name of another format than agreed", "name_id_format", (text) =>
    edit(text, ` Format="${PERSISTENT}"`, ""),
  ),
  trust: { nameIdFormat: PERSISTENT },
};
