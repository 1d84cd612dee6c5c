import type { RefusalCode } from "./refusal.js";

/**
 * Reads and verifies what identity providers send. Pure: no database, no HTTP, no clock of its own. The work is done in
 * threads of its own, since reading XML blocks, and a hostile message may block for long.
 */
export interface SamlWorkers {
  /** What is needed to find the request that a response answers. Nothing of it is verified. */
  readResponse(samlResponse: string): Promise<Verdict<UnverifiedResponse>>;
  /** All of a response that can be said without a database. `request` undefined: nobody asked, and the connection allows it. */
  verifyResponse(
    samlResponse: string,
    trust: Trust,
    ourselves: Ourselves,
    request: AskedRequest | undefined,
    nowMs: number,
  ): Promise<Verdict<VerifiedAssertion>>;
  /** What is needed to find the connection that a logout message of the POST binding belongs to. Nothing of it is verified. */
  readLogoutPost(kind: MessageKind, message: string): Promise<Verdict<UnverifiedLogout>>;
  /** What is needed to find the connection that a logout message of the Redirect binding belongs to. Nothing of it is verified. */
  readLogoutRedirect(rawQuery: string): Promise<Verdict<UnverifiedLogout>>;
  verifyLogoutPost(
    kind: MessageKind,
    message: string,
    trust: Trust,
    ourselves: Ourselves,
    nowMs: number,
  ): Promise<Verdict<LogoutMessage>>;
  /** `rawQuery` as it stood in the URL behind the question mark: its octets are what is signed. */
  verifyLogoutRedirect(
    rawQuery: string,
    trust: Trust,
    ourselves: Ourselves,
    nowMs: number,
  ): Promise<Verdict<LogoutMessage>>;
  readIdpMetadata(xml: string, nowMs: number): Promise<Verdict<IdpMetadata>>;
  close(): Promise<void>;
}

/** The name of the parameter that carries a message. */
export type MessageKind = "SAMLRequest" | "SAMLResponse";

/** The code is for audit and log only: whoever sent the message learns nothing but that it was refused. */
export type Verdict<T> = { ok: true; value: T } | { ok: false; code: RefusalCode };

/** What we know and demand of an identity provider. */
export interface Trust {
  entityId: string;
  /** PEM; whoever signs with one of them is the provider. */
  certificates: readonly string[];
  wantResponseSigned: boolean;
  /** Takes assertions encrypted with AES-CBC, provided that the response around them is signed. */
  allowCbc: boolean;
  clockSkewMs: number;
  /** The format that name ids must have; null: any but transient. */
  nameIdFormat: string | null;
}

/** What we are to identity providers. */
export interface Ourselves {
  entityId: string;
  acsUrl: string;
  sloUrl: string;
  /** PEM; all the keys that an assertion may be encrypted for. */
  decryptionKeys: readonly string[];
}

/** The request of ours that a response answers. */
export interface AskedRequest {
  id: string;
  createdAtMs: number;
}

export interface UnverifiedResponse {
  inResponseTo: string | undefined;
  issuer: string | undefined;
}

/** Who signed in, read from signed bytes alone. */
export interface VerifiedAssertion {
  nameId: string;
  nameIdFormat: string | undefined;
  sessionIndex: string | undefined;
  /** Text values by attribute name; a name that stands several times has the values of all. */
  attributes: ReadonlyMap<string, readonly string[]>;
  /** The same for each message that carries this assertion, however it is wrapped. */
  assertionHash: Buffer;
  /** From then on the assertion is refused for its age alone. */
  validUntil: Date;
  sessionEndsAt: Date | undefined;
}

export interface UnverifiedLogout {
  kind: MessageKind;
  issuer: string;
  id: string;
  inResponseTo: string | undefined;
}

/** A verified message that ends sessions, or says that they have ended. */
export type LogoutMessage = LogoutRequest | LogoutResponse;

interface LogoutSigned {
  id: string;
  /** Signed in the Redirect binding only; in the POST binding it travels beside the message. */
  relayState: string | undefined;
  /** From then on the message is refused for its age alone: until then its id must be remembered. */
  validUntil: Date;
}

export interface LogoutRequest extends LogoutSigned {
  kind: "SAMLRequest";
  nameId: string;
  nameIdFormat: string | undefined;
  /** Empty: all sessions of the name id. */
  sessionIndexes: readonly string[];
}

export interface LogoutResponse extends LogoutSigned {
  kind: "SAMLResponse";
  inResponseTo: string;
  /** Whether the provider says that all sessions have ended; else some have not. */
  complete: boolean;
}

export type Binding = "redirect" | "post";

export interface Endpoint {
  url: string;
  binding: Binding;
}

/** What an identity provider says of itself. Not signed by anybody whom we know: as good as the way it came. */
export interface IdpMetadata {
  entityId: string;
  /** The Redirect binding where there is a choice. */
  sso: Endpoint;
  slo: (Endpoint & { responseUrl: string }) | undefined;
  /** PEM, at most 5. */
  certificates: readonly string[];
  nameIdFormats: readonly string[];
  /** From then on it must not be used. */
  validUntil: Date | undefined;
}
