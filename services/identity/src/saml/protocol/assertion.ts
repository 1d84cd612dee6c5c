import { createHash } from "node:crypto";
import { readAttributes } from "./attributes.js";
import { checkConditions } from "./conditions.js";
import { attributeOf, childrenOf, isNamed, manyOf, oneOf, textOf } from "./dom.js";
import { checkIssuer } from "./issuer.js";
import { ASSERTION, BEARER, TRANSIENT } from "./names.js";
import type { AskedRequest, Ourselves, Trust, VerifiedAssertion } from "./protocol.js";
import { refuse } from "./refusal.js";
import { type Clocks, checkIssueInstant, instantOf, isFuture, isPast } from "./times.js";

/** Reads a signed assertion. Whatever it says beyond the signature must hold as well. */
export function signedAssertion(
  assertion: Element,
  trust: Trust,
  ourselves: Ourselves,
  request: AskedRequest | undefined,
  clocks: Clocks,
): VerifiedAssertion {
  checkForm(assertion);
  checkIssuer(assertion, trust.entityId);
  const issuedAtMs = checkIssueInstant(assertion, clocks);
  const subject = oneOf(assertion, ASSERTION, "Subject", "subject");
  const nameId = nameIdOf(subject, trust.nameIdFormat);
  checkConfirmation(subject, ourselves, request, clocks);
  const endsAtMs = checkConditions(assertion, ourselves.entityId, issuedAtMs, clocks);
  return {
    ...nameId,
    ...authnStatementOf(assertion, clocks),
    attributes: readAttributes(assertion),
    assertionHash: createHash("sha256")
      .update(attributeOf(assertion, "ID") ?? refuse("ids"))
      .digest(),
    validUntil: new Date(endsAtMs + clocks.clockSkewMs),
  };
}

/** The name id of a subject, in assertions and in logout requests. */
export function nameIdOf(
  subject: Element,
  expectedFormat: string | null,
): Pick<VerifiedAssertion, "nameId" | "nameIdFormat"> {
  const element = oneOf(subject, ASSERTION, "NameID", "name_id");
  const nameId = textOf(element, "name_id");
  const length = Array.from(nameId).length;
  if (length < 1 || length > NAME_ID_MAX_CHARS || /\p{Cc}/u.test(nameId)) {
    refuse("name_id");
  }
  const nameIdFormat = attributeOf(element, "Format");
  if (nameIdFormat === TRANSIENT || (expectedFormat !== null && nameIdFormat !== expectedFormat)) {
    refuse("name_id_format");
  }
  return { nameId, nameIdFormat };
}

const NAME_ID_MAX_CHARS = 256;
const CHILDREN = new Set([
  "Issuer",
  "Signature",
  "Subject",
  "Conditions",
  "Advice",
  "Statement",
  "AuthnStatement",
  "AuthzDecisionStatement",
  "AttributeStatement",
]);

function checkForm(assertion: Element): void {
  if (!isNamed(assertion, ASSERTION, "Assertion")) {
    refuse("root");
  }
  if (attributeOf(assertion, "Version") !== "2.0") {
    refuse("version");
  }
  const isKnown = ({ localName, namespaceURI }: Element) =>
    CHILDREN.has(localName) && (namespaceURI === ASSERTION || localName === "Signature");
  if (!childrenOf(assertion).every(isKnown)) {
    refuse("structure");
  }
}

/** Whoever brings the assertion is its subject, here, now, and in answer to our request: one confirmation says all that. */
function checkConfirmation(
  subject: Element,
  ourselves: Ourselves,
  request: AskedRequest | undefined,
  clocks: Clocks,
): void {
  const confirmations = manyOf(subject, ASSERTION, "SubjectConfirmation");
  const contents = confirmations.flatMap((confirmation) => manyOf(confirmation, ASSERTION, "SubjectConfirmationData"));
  if (request === undefined && contents.some((content) => attributeOf(content, "InResponseTo") !== undefined)) {
    refuse("unsolicited");
  }
  const isGood = confirmations.some((confirmation) => {
    const [content, second] = manyOf(confirmation, ASSERTION, "SubjectConfirmationData");
    if (attributeOf(confirmation, "Method") !== BEARER || content === undefined || second !== undefined) {
      return false;
    }
    const endsAtMs = instantOf(content, "NotOnOrAfter", "confirmation");
    return (
      attributeOf(content, "Recipient") === ourselves.acsUrl &&
      attributeOf(content, "InResponseTo") === request?.id &&
      attributeOf(content, "NotBefore") === undefined &&
      endsAtMs !== undefined &&
      !isPast(endsAtMs, clocks)
    );
  });
  if (!isGood) {
    refuse("confirmation");
  }
}

function authnStatementOf(
  assertion: Element,
  clocks: Clocks,
): Pick<VerifiedAssertion, "sessionIndex" | "sessionEndsAt"> {
  const statement = oneOf(assertion, ASSERTION, "AuthnStatement", "authn_statement");
  const signedInAtMs = instantOf(statement, "AuthnInstant", "authn_statement") ?? refuse("authn_statement");
  if (isFuture(signedInAtMs, clocks)) {
    refuse("authn_statement");
  }
  const endsAtMs = instantOf(statement, "SessionNotOnOrAfter", "session_ended");
  if (endsAtMs !== undefined && isPast(endsAtMs, clocks)) {
    refuse("session_ended");
  }
  const sessionIndex = attributeOf(statement, "SessionIndex");
  if (sessionIndex !== undefined && (sessionIndex === "" || sessionIndex.length > SESSION_INDEX_MAX_CHARS)) {
    refuse("authn_statement");
  }
  return { sessionIndex, sessionEndsAt: endsAtMs === undefined ? undefined : new Date(endsAtMs) };
}

/** What a column holds, and more than any provider uses. */
export const SESSION_INDEX_MAX_CHARS = 512;
