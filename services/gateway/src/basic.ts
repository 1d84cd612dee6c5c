import { refused } from "@assistant/kit/wire/fault.js";

/** Whether a client tries to prove itself by HTTP Basic, were it as broken as it may. */
export function triesBasic(authorization: string | undefined): boolean {
  return SCHEME.test(authorization ?? "");
}

/** The credentials of a client in the fields of a token request. */
export interface ClientFields {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
}

/**
 * What HTTP Basic adds to a token request (RFC 6749, 2.3.1). Throws the Fault refused where it cannot be read, or where
 * the body shows a secret as well: two ways at once leave open which of them counts.
 */
export function readBasic(authorization: string | undefined, body: ClientFields): ClientFields {
  const { rest } = SCHEME.exec(authorization ?? "")?.groups ?? {};
  if (rest === undefined) return {};
  const { client_id, client_secret } = credentialsOf(rest.trim());
  // What is sent without a value counts as left out; an id alone may be said again.
  if (body.client_secret || (body.client_id && body.client_id !== client_id)) {
    throw refused("invalid_request", "client credentials must come by HTTP Basic or in the body, not both");
  }
  return { client_id, client_secret };
}

const SCHEME = /^basic(?:$|[ \t]+)(?<rest>.*)$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

function credentialsOf(encoded: string): Required<ClientFields> {
  try {
    if (!BASE64.test(encoded)) throw new SyntaxError("not base64");
    const pair = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, "base64"));
    const colon = pair.indexOf(":");
    if (colon < 0) throw new SyntaxError("no colon");
    return { client_id: formDecoded(pair.slice(0, colon)), client_secret: formDecoded(pair.slice(colon + 1)) };
  } catch {
    // Whatever broke says something about the secret at most.
    throw refused("invalid_client", "the credentials of HTTP Basic cannot be read");
  }
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}
