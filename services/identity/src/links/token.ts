import { hmac, hmacs, type Keyring, seal, unseal } from "@assistant/kit/database/seal.js";
import { checksum, randomDigits } from "../secret.js";

/** A new token of a link: `aml_`, 256 random bits, and a checksum that spares us queries. */
export function newLinkToken(): string {
  const body = `aml_${randomDigits()}`;
  return `${body}${checksum(body)}`;
}

/** Whether we may have made a token; if not, no look-up is needed. */
export function isLinkToken(text: string): boolean {
  const [, body, sum] = FORM.exec(text) ?? [];
  return body !== undefined && checksum(body) === sum;
}

/** What a link is found by: the token itself is nowhere. */
export function linkLookup(keyring: Keyring, token: string): Buffer {
  return hmac(keyring, token, LINK_PURPOSE);
}

/** What it may have been stored by, under any key of the ring. */
export function linkLookups(keyring: Keyring, token: string): Buffer[] {
  return hmacs(keyring, token, LINK_PURPOSE);
}

/** The token for admins to read again, which opens beside its own link only. */
export function sealLinkToken(keyring: Keyring, token: string, link: { id: string; orgId: string }): Buffer {
  return seal(keyring, token, ["magic_links", link.id, link.orgId, "sealed"]);
}

export function openLinkToken(keyring: Keyring, sealed: Buffer, link: { id: string; orgId: string }): string {
  return unseal(keyring, sealed, ["magic_links", link.id, link.orgId, "sealed"]).toString();
}

/** What the stored fingerprint of a token is made for. */
export const LINK_PURPOSE = "magic link";

const FORM = /^(aml_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;
