import type { Trust } from "../../saml/protocol/protocol.js";
import type { RefusalCode } from "../../saml/protocol/refusal.js";
import { base64, type Provider, responseText, type Said, type Signing, signed } from "./provider.js";

/** A hostile message: what differs from the good one, and for what it must be refused. */
export interface Attack {
  name: string;
  code: RefusalCode;
  /** The parameter SAMLResponse. */
  message(provider: Provider, said: Said): string | Promise<string>;
  trust?: Partial<Trust>;
}

/** What changes a good response before anybody signs it: the provider itself says it. */
export function saidBy(name: string, code: RefusalCode, change: (text: string, said: Said) => string): Attack {
  const message = (provider: Provider, said: Said) =>
    base64(signed(change(responseText(provider, said), said), provider.key, "both"));
  return { name, code, message };
}

/** What changes a good response after the provider signed it. */
export function changedOnTheWay(
  name: string,
  code: RefusalCode,
  signing: Signing,
  change: (text: string, provider: Provider, said: Said) => string,
): Attack {
  const message = (provider: Provider, said: Said) =>
    base64(change(signed(responseText(provider, said), provider.key, signing), provider, said));
  return { name: `${name} (signed: ${signing})`, code, message };
}
