import { inflateRawSync } from "node:zlib";
import { bytesOf, MESSAGE_MAX_CHARS, textOf } from "./envelope.js";
import type { MessageKind } from "./protocol.js";
import { refuse } from "./refusal.js";
import { signerAmong } from "./signer.js";

/** A message of the Redirect binding. Nothing of it is verified. */
export interface Redirect {
  kind: MessageKind;
  text: string;
  relayState: string | undefined;
  /** The octets that the signature covers. */
  signed: string;
  algorithm: string | undefined;
  signature: string | undefined;
}

/**
 * Reads a query as it stood in the URL. Signed are its raw octets, so nothing in it may be open to a second reading: no
 * key twice, none but those of the binding, and these letter by letter.
 */
export function openRedirect(rawQuery: string): Redirect {
  if (rawQuery.length > MESSAGE_MAX_CHARS) {
    refuse("too_large");
  }
  const raw = parametersOf(rawQuery);
  const kind: MessageKind = raw.has("SAMLRequest") ? "SAMLRequest" : "SAMLResponse";
  const message = raw.get(kind) ?? refuse("query");
  if (kind === "SAMLRequest" && raw.has("SAMLResponse")) {
    refuse("query");
  }
  return {
    kind,
    text: inflated(bytesOf(decoded(message))),
    relayState: optional(raw.get("RelayState")),
    // In this order, whatever the order in the query: saml-bindings-2.0-os, 3.4.4.1.
    signed: [kind, "RelayState", "SigAlg"].flatMap((key) => (raw.has(key) ? [`${key}=${raw.get(key)}`] : [])).join("&"),
    algorithm: optional(raw.get("SigAlg")),
    signature: optional(raw.get("Signature")),
  };
}

/** Whether one of these certificates' keys signed the query. */
export function checkRedirectSignature(
  { signed, algorithm, signature }: Redirect,
  certificates: readonly string[],
): void {
  if (algorithm === undefined || signature === undefined) {
    refuse("unsigned");
  }
  signerAmong(certificates, algorithm, signed, bytesOf(signature));
}

const KEYS = new Set(["SAMLRequest", "SAMLResponse", "RelayState", "SigAlg", "Signature"]);
const INFLATED_MAX_BYTES = 262_144;

function parametersOf(rawQuery: string): Map<string, string> {
  const raw = new Map<string, string>();
  for (const parameter of rawQuery.split("&")) {
    const at = parameter.indexOf("=");
    const key = at === -1 ? parameter : parameter.slice(0, at);
    if (at === -1 || !KEYS.has(key) || raw.has(key)) {
      refuse("query");
    }
    raw.set(key, parameter.slice(at + 1));
  }
  return raw;
}

function optional(raw: string | undefined): string | undefined {
  return raw === undefined ? undefined : decoded(raw);
}

function decoded(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    return refuse("query");
  }
}

function inflated(bytes: Buffer): string {
  let text: Buffer;
  try {
    text = inflateRawSync(bytes, { maxOutputLength: INFLATED_MAX_BYTES });
  } catch {
    return refuse("deflate");
  }
  return textOf(text);
}
