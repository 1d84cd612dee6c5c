import { type CacheProvider, SAML, ValidateInResponseTo } from "@node-saml/node-saml";
import type { AskedRequest, Ourselves, Trust } from "./protocol.js";
import { type RefusalCode, refuse } from "./refusal.js";
import { AGE_MAX_MS } from "./times.js";

export interface Unproven {
  samlResponse: string;
  trust: Trust;
  ourselves: Ourselves;
  request: AskedRequest | undefined;
  /** The key that opens the assertion, if it came encrypted. */
  decryptionKey: string | undefined;
}

/** The assertion that the library holds for good, as the bytes that are signed. The library's clock is the system's. */
export async function librarySigned({
  samlResponse,
  trust,
  ourselves,
  request,
  decryptionKey,
}: Unproven): Promise<string> {
  const saml = new SAML({
    issuer: ourselves.entityId,
    callbackUrl: ourselves.acsUrl,
    audience: ourselves.entityId,
    idpCert: [...trust.certificates],
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: trust.wantResponseSigned,
    acceptedClockSkewMs: trust.clockSkewMs,
    maxAssertionAgeMs: AGE_MAX_MS,
    signatureAlgorithm: "sha256",
    digestAlgorithm: "sha256",
    disableRequestedAuthnContext: true,
    identifierFormat: trust.nameIdFormat,
    validateInResponseTo: request === undefined ? ValidateInResponseTo.never : ValidateInResponseTo.always,
    requestIdExpirationPeriodMs: REQUEST_LIFETIME_MS,
    cacheProvider: knownRequest(request),
    ...(decryptionKey === undefined ? {} : { decryptionPvk: decryptionKey }),
  });
  // `profile.attributes` is not for use: there, an attribute named `__proto__` replaces the prototype.
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: samlResponse }).catch((error: unknown) => {
    return refuse(codeOf(error));
  });
  return profile?.getAssertionXml?.() ?? refuse("signature");
}

/** What the library says of a failure, as far as an admin can do something about it. Only the audit shows the difference. */
const CAUSES: readonly [RegExp, RefusalCode][] = [
  [/^SAML assertion .*audience/i, "audience"],
  [/expired|not yet valid/, "expired"],
  [/confirmation|InResponseTo/i, "confirmation"],
  [/conditions/i, "conditions"],
];

function codeOf(error: unknown): RefusalCode {
  const text = error instanceof Error ? error.message : "";
  return CAUSES.find(([pattern]) => pattern.test(text))?.[1] ?? "signature";
}

const REQUEST_LIFETIME_MS = 600_000;

/** Of all requests the library knows the one that was found. What it wants to remember or forget is not its business. */
function knownRequest(request: AskedRequest | undefined): CacheProvider {
  return {
    saveAsync: async () => null,
    removeAsync: async () => null,
    getAsync: async (id) => (id === request?.id ? new Date(request.createdAtMs).toISOString() : null),
  };
}
