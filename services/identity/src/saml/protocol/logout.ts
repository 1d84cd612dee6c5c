import { nameIdOf, SESSION_INDEX_MAX_CHARS } from "./assertion.js";
import { attributeOf, manyOf, oneOf, readXml, textOf } from "./dom.js";
import { openEnvelope } from "./envelope.js";
import { checkIssuer } from "./issuer.js";
import { DSIG, PARTIAL_LOGOUT, PROTOCOL, SUCCESS } from "./names.js";
import type { LogoutMessage, MessageKind, Ourselves, Trust, UnverifiedLogout, Verdict } from "./protocol.js";
import { checkRedirectSignature, openRedirect } from "./redirect.js";
import { refuse } from "./refusal.js";
import { signedBytes } from "./signed-bytes.js";
import { checkLogout, issuerOf } from "./structure.js";
import { AGE_MAX_MS, type Clocks, checkIssueInstant, instantOf, isPast } from "./times.js";
import { verdictOf } from "./verdict.js";

export function readLogoutPost(kind: MessageKind, message: string): Promise<Verdict<UnverifiedLogout>> {
  return verdictOf(() => unverified(kind, openEnvelope(message)));
}

export function readLogoutRedirect(rawQuery: string): Promise<Verdict<UnverifiedLogout>> {
  return verdictOf(() => {
    const { kind, text } = openRedirect(rawQuery);
    return unverified(kind, text);
  });
}

export function verifyLogoutPost(
  kind: MessageKind,
  message: string,
  trust: Trust,
  ourselves: Ourselves,
  nowMs: number,
): Promise<Verdict<LogoutMessage>> {
  return verdictOf(() => {
    const text = openEnvelope(message);
    const root = readXml(text);
    checkLogout(root, ELEMENTS[kind]);
    const signed = readXml(signedBytes(text, root, trust.certificates));
    return logoutMessage(kind, signed, undefined, trust, ourselves, nowMs);
  });
}

export function verifyLogoutRedirect(
  rawQuery: string,
  trust: Trust,
  ourselves: Ourselves,
  nowMs: number,
): Promise<Verdict<LogoutMessage>> {
  return verdictOf(() => {
    const redirect = openRedirect(rawQuery);
    const { kind, text, relayState } = redirect;
    const root = readXml(text);
    checkLogout(root, ELEMENTS[kind]);
    if (manyOf(root, DSIG, "Signature").length > 0) {
      // In this binding the signature is in the query, and stands for all of the message.
      refuse("signature_place");
    }
    checkRedirectSignature(redirect, trust.certificates);
    return logoutMessage(kind, root, relayState, trust, ourselves, nowMs);
  });
}

const ELEMENTS = { SAMLRequest: "LogoutRequest", SAMLResponse: "LogoutResponse" } as const;
const SESSION_INDEXES_MAX = 100;

function unverified(kind: MessageKind, text: string): UnverifiedLogout {
  const root = readXml(text);
  checkLogout(root, ELEMENTS[kind]);
  return {
    kind,
    issuer: issuerOf(root) ?? refuse("issuer"),
    id: attributeOf(root, "ID") ?? refuse("ids"),
    inResponseTo: attributeOf(root, "InResponseTo"),
  };
}

/** Reads a logout message of which all is signed. */
function logoutMessage(
  kind: MessageKind,
  root: Element,
  relayState: string | undefined,
  trust: Trust,
  ourselves: Ourselves,
  nowMs: number,
): LogoutMessage {
  const clocks = { nowMs, clockSkewMs: trust.clockSkewMs };
  checkIssuer(root, trust.entityId);
  if (attributeOf(root, "Destination") !== ourselves.sloUrl) {
    refuse("destination");
  }
  const issuedAtMs = checkIssueInstant(root, clocks);
  const signed = {
    id: attributeOf(root, "ID") ?? refuse("ids"),
    relayState,
    validUntil: new Date(issuedAtMs + AGE_MAX_MS + trust.clockSkewMs),
  };
  return kind === "SAMLRequest"
    ? { kind, ...signed, ...whoseSessions(root, trust, clocks) }
    : { kind, ...signed, ...outcome(root) };
}

function whoseSessions(root: Element, trust: Trust, clocks: Clocks) {
  const endsAtMs = instantOf(root, "NotOnOrAfter", "expired");
  if (endsAtMs !== undefined && isPast(endsAtMs, clocks)) {
    refuse("expired");
  }
  const sessionIndexes = manyOf(root, PROTOCOL, "SessionIndex").map((element) => textOf(element, "structure"));
  const isWithin = (index: string) => index !== "" && index.length <= SESSION_INDEX_MAX_CHARS;
  if (sessionIndexes.length > SESSION_INDEXES_MAX || !sessionIndexes.every(isWithin)) {
    refuse("structure");
  }
  return { ...nameIdOf(root, trust.nameIdFormat), sessionIndexes };
}

function outcome(root: Element) {
  const inResponseTo = attributeOf(root, "InResponseTo") ?? refuse("in_response_to");
  const status = oneOf(root, PROTOCOL, "Status", "status");
  const code = oneOf(status, PROTOCOL, "StatusCode", "status");
  const second = manyOf(code, PROTOCOL, "StatusCode").map((detail) => attributeOf(detail, "Value"));
  return { inResponseTo, complete: attributeOf(code, "Value") === SUCCESS && !second.includes(PARTIAL_LOGOUT) };
}
