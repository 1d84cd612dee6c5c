import { signedAssertion } from "./assertion.js";
import { attributeOf, oneOf, optionalOf, readXml } from "./dom.js";
import { checkEncryption, decryptAssertion } from "./encryption.js";
import { openEnvelope } from "./envelope.js";
import { checkIssuer } from "./issuer.js";
import { librarySigned } from "./library.js";
import { DSIG, PROTOCOL, SUCCESS } from "./names.js";
import type { AskedRequest, Ourselves, Trust, UnverifiedResponse, Verdict, VerifiedAssertion } from "./protocol.js";
import { refuse } from "./refusal.js";
import { signedBytes } from "./signed-bytes.js";
import { signerOf } from "./signer.js";
import { checkAssertion, checkResponse, type ReadResponse } from "./structure.js";
import { checkIssueInstant } from "./times.js";
import { verdictOf } from "./verdict.js";

export function readResponse(samlResponse: string): Promise<Verdict<UnverifiedResponse>> {
  return verdictOf(() => {
    const { inResponseTo, issuer } = checkResponse(readXml(openEnvelope(samlResponse)));
    return { inResponseTo, issuer };
  });
}

export function verifyResponse(
  samlResponse: string,
  trust: Trust,
  ourselves: Ourselves,
  request: AskedRequest | undefined,
  nowMs: number,
): Promise<Verdict<VerifiedAssertion>> {
  return verdictOf(async () => {
    const text = openEnvelope(samlResponse);
    const response = checkResponse(readXml(text));
    const clocks = { nowMs, clockSkewMs: trust.clockSkewMs };
    checkStatus(response.root);
    checkAddress(response, trust, ourselves, request);
    checkIssueInstant(response.root, clocks);
    const opened = response.isEncrypted ? await openAssertion(text, response, trust, ourselves) : undefined;
    const certificates = signersOf(response, opened?.assertion ?? response.assertion, trust);
    const wantResponseSigned = response.signature !== undefined;
    const signed = await librarySigned({
      samlResponse,
      // What claims to be signed must be, wanted or not. No certificate is tried that did not sign.
      trust: { ...trust, certificates, wantResponseSigned },
      ourselves,
      request,
      decryptionKey: opened?.key,
    });
    const assertion = readXml(signed);
    if (attributeOf(assertion, "ID") !== attributeOf(opened?.assertion ?? response.assertion, "ID")) {
      refuse("signature");
    }
    return signedAssertion(assertion, trust, ourselves, request, clocks);
  });
}

function checkStatus(root: Element): void {
  const status = oneOf(root, PROTOCOL, "Status", "status");
  if (attributeOf(oneOf(status, PROTOCOL, "StatusCode", "status"), "Value") !== SUCCESS) {
    refuse("status");
  }
}

/** Whether the response says to be from that provider, for us, and for that request. */
function checkAddress(
  { root, inResponseTo, issuer }: ReadResponse,
  trust: Trust,
  ourselves: Ourselves,
  request: AskedRequest | undefined,
): void {
  if (attributeOf(root, "Destination") !== ourselves.acsUrl) {
    refuse("destination");
  }
  if (issuer !== undefined) {
    checkIssuer(root, trust.entityId);
  }
  if (inResponseTo !== request?.id) {
    refuse(request === undefined ? "unsolicited" : "in_response_to");
  }
}

/**
 * Whose keys made the signatures. An assertion is signed itself, always: a provider that signs the response alone signs
 * what it does not look into.
 */
function signersOf({ signature }: ReadResponse, assertion: Element, trust: Trust): string[] {
  const own = optionalOf(assertion, DSIG, "Signature", "signature_place");
  if (own === undefined || (trust.wantResponseSigned && signature === undefined)) {
    return refuse("unsigned");
  }
  const signatures = signature === undefined ? [own] : [own, signature];
  return [...new Set(signatures.map((each) => signerOf(each, trust.certificates)))];
}

/** What is inside an encrypted assertion, as good as if it had come in the open. */
async function openAssertion(
  text: string,
  { root, assertion, signature }: ReadResponse,
  trust: Trust,
  ourselves: Ourselves,
): Promise<{ assertion: Element; key: string }> {
  const { isAuthenticated } = checkEncryption(assertion);
  if (!isAuthenticated && !trust.allowCbc) {
    refuse("encryption_algorithm");
  }
  if (!isAuthenticated && signature === undefined) {
    refuse("unsigned");
  }
  if (signature !== undefined) {
    // Before decrypting: with CBC, whoever may send any ciphertext learns from the answers what it holds.
    signedBytes(text, root, trust.certificates);
  }
  const { text: decrypted, key } = await decryptAssertion(assertion, ourselves.decryptionKeys);
  const opened = readXml(decrypted);
  checkAssertion(opened);
  return { assertion: opened, key };
}
