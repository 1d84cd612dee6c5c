import type { RefusalCode } from "../../saml/protocol/refusal.js";
import type { Attack } from "./attack.js";
import {
  base64,
  edit,
  encrypted,
  type Provider,
  responseText,
  type Said,
  type Signing,
  signature,
  signed,
} from "./provider.js";

/** Encrypted assertions that must not be opened, or not be believed once they are open. */
export function encryptions(): Attack[] {
  return [
    row("CBC", "encryption_algorithm", "assertion", CBC),
    {
      ...row("CBC where it is allowed, without a signature over the response", "unsigned", "assertion", CBC),
      trust: { allowCbc: true },
    },
    row("CBC, under a signature over the response", "encryption_algorithm", "both", CBC),
    row("3DES", "encryption_algorithm", "assertion", "http://www.w3.org/2001/04/xmlenc#tripledes-cbc"),
    row("RSA 1.5", "encryption_algorithm", "assertion", GCM, "http://www.w3.org/2001/04/xmlenc#rsa-1_5"),
    row("an assertion that is not signed", "unsigned", "none", GCM),
    inside("an entity inside", "markup_forbidden", (text) => edit(text, ">ada<", ">&x;<")),
    inside("a comment inside", "markup_forbidden", (text) => edit(text, ">ada<", ">ada<!---->.root<")),
    inside("a second assertion inside", "assertion_count", (text) =>
      edit(text, "</saml:Subject>", "</saml:Subject><saml:Advice><saml:Assertion/></saml:Advice>"),
    ),
    inside("a name that nobody signed", "signature", (text) => edit(text, ">ada<", ">mallory<")),
    outside("another ciphertext", "decryption", /(?<=<xenc:CipherValue>).{8}/, "AAAAAAAA"),
    outside("a short ciphertext", "encryption_form", /(?<=<xenc:CipherValue>)[^<]*/, "AAAA"),
    outside(
      "two encrypted contents",
      "encryption_form",
      "</saml:EncryptedAssertion>",
      "<xenc:EncryptedData xmlns:xenc='http://www.w3.org/2001/04/xmlenc#'/></saml:EncryptedAssertion>",
    ),
    outside(
      "nothing encrypted",
      "encryption_form",
      /(?<=<saml:EncryptedAssertion>).*(?=<\/saml:EncryptedAssertion>)/s,
      "",
    ),
    outside(
      "a reference for the ciphertext",
      "encryption_form",
      /<xenc:CipherValue>[^<]*<\/xenc:CipherValue>/s,
      "<xenc:CipherReference xmlns:xenc='http://www.w3.org/2001/04/xmlenc#' URI='https://other.example'/>",
    ),
    outside(
      "a second ciphertext where the key is named",
      "encryption_form",
      "<X509Data>",
      "<X509Data><e:CipherValue xmlns:e='http://www.w3.org/2001/04/xmlenc#'>AAAA</e:CipherValue>",
    ),
    {
      name: "for somebody else",
      code: "decryption",
      message: async (provider, said) => base64(await encrypted(text(provider, said, "assertion"), provider.foreign)),
    },
  ];
}

export const CBC = "http://www.w3.org/2001/04/xmlenc#aes128-cbc";
const GCM = "http://www.w3.org/2009/xmlenc11#aes256-gcm";

type Encryption = Parameters<typeof encrypted>;

/** A response with an encrypted assertion; `both`: the response is signed after the assertion was encrypted. */
export async function encryptedResponse(
  provider: Provider,
  said: Said,
  signing: "assertion" | "both" | "none",
  algorithm: string = GCM,
  keyAlgorithm?: string,
): Promise<string> {
  const inner = signing === "none" ? responseText(provider, said) : text(provider, said, "assertion");
  const whole = await encrypted(inner, provider.ourKey, algorithm as Encryption[2], keyAlgorithm as Encryption[3]);
  return signing === "both" ? signature(whole, provider.key, "Response") : whole;
}

function text(provider: Provider, said: Said, signing: Signing): string {
  return signed(responseText(provider, said), provider.key, signing);
}

function row(
  name: string,
  code: RefusalCode,
  signing: "assertion" | "both" | "none",
  algorithm: string,
  keyAlgorithm?: string,
): Attack {
  return {
    name: `${name} (signed: ${signing})`,
    code,
    message: async (provider, said) =>
      base64(await encryptedResponse(provider, said, signing, algorithm, keyAlgorithm)),
  };
}

/** What changes after signing and before encrypting. */
function inside(name: string, code: RefusalCode, change: (text: string) => string): Attack {
  const message = async (provider: Provider, said: Said) =>
    base64(await encrypted(change(text(provider, said, "assertion")), provider.ourKey));
  return { name, code, message };
}

function outside(name: string, code: RefusalCode, from: string | RegExp, to: string): Attack {
  const message = async (provider: Provider, said: Said) =>
    base64(edit(await encryptedResponse(provider, said, "assertion"), from, to));
  return { name, code, message };
}
