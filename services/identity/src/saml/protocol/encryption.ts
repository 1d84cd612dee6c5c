import { promisify } from "node:util";
import { XMLSerializer } from "@xmldom/xmldom";
import { decrypt } from "xml-encryption";
import { allOf, areNamed, attributeOf, childrenOf, isNamed, textOf } from "./dom.js";
import { bytesOf } from "./envelope.js";
import { AES128_CBC, AES128_GCM, AES256_CBC, AES256_GCM, DSIG, RSA_OAEP, XENC } from "./names.js";
import { refuse } from "./refusal.js";

/** What the decrypting library takes out of an EncryptedAssertion, and the key that fitted. */
export interface Decrypted {
  text: string;
  key: string;
}

/**
 * Whether an encrypted assertion has the one form in which nothing can be looked for in a second place: the key inside
 * of the encrypted content. Answers whether whoever changes the ciphertext would be noticed on decrypting.
 */
export function checkEncryption(encryptedAssertion: Element): { isAuthenticated: boolean } {
  const [content, second] = childrenOf(encryptedAssertion);
  if (content === undefined || second !== undefined || !areNamed([content], XENC, ["EncryptedData"])) {
    return refuse("encryption_form");
  }
  const [method, keyInfo, cipher] = partsOf(content, [XENC, DSIG, XENC], ["EncryptionMethod", "KeyInfo", "CipherData"]);
  const algorithm = attributeOf(method, "Algorithm");
  const isAuthenticated = algorithm === AES128_GCM || algorithm === AES256_GCM;
  if ((!isAuthenticated && algorithm !== AES128_CBC && algorithm !== AES256_CBC) || childrenOf(method).length > 0) {
    refuse("encryption_algorithm");
  }
  checkKey(keyInfo);
  checkCipher(cipher, isAuthenticated ? GCM_MIN_BYTES : CBC_MIN_BYTES);
  return { isAuthenticated };
}

/** Tries each of our keys: during a change of keys the provider may use the one before. */
export async function decryptAssertion(encryptedAssertion: Element, keys: readonly string[]): Promise<Decrypted> {
  const encrypted = new XMLSerializer().serializeToString(encryptedAssertion);
  for (const key of keys) {
    const text = await opened(encrypted, key);
    if (text !== undefined) {
      return { text, key };
    }
  }
  return refuse("decryption");
}

// Nonce and tag, or one block before the content; and some content.
const GCM_MIN_BYTES = 12 + 16 + 1;
const CBC_MIN_BYTES = 16 + 16;
const RSA_MIN_BYTES = 256;
const OAEP_DIGESTS: ReadonlySet<string | undefined> = new Set([`${DSIG}sha1`, `${DSIG}sha256`, `${DSIG}sha512`]);

const SOUGHT = new Set([
  "EncryptedData",
  "EncryptedKey",
  "EncryptionMethod",
  "DigestMethod",
  "KeyInfo",
  "RetrievalMethod",
  "CipherData",
  "CipherValue",
]);

const decryptAsync = promisify(decrypt);

async function opened(encrypted: string, key: string): Promise<string | undefined> {
  try {
    return await decryptAsync(encrypted, { key, disallowDecryptionWithInsecureAlgorithm: true });
  } catch {
    // The library says in many words that a key does not fit; another may.
    return undefined;
  }
}

function checkKey(keyInfo: Element): void {
  const [encryptedKey, second] = childrenOf(keyInfo);
  if (encryptedKey === undefined || second !== undefined || !areNamed([encryptedKey], XENC, ["EncryptedKey"])) {
    refuse("encryption_form");
  }
  const hasHint = childrenOf(encryptedKey).length === 3;
  const names = hasHint ? ["EncryptionMethod", "KeyInfo", "CipherData"] : ["EncryptionMethod", "CipherData"];
  const parts = partsOf(encryptedKey, hasHint ? [XENC, DSIG, XENC] : [XENC, XENC], names);
  const [method, cipher] = [parts[0], parts[hasHint ? 2 : 1]];
  const digests = childrenOf(method);
  const isKnown =
    attributeOf(method, "Algorithm") === RSA_OAEP &&
    areNamed(digests, DSIG, ["DigestMethod"].slice(0, digests.length)) &&
    digests.every((digest) => OAEP_DIGESTS.has(attributeOf(digest, "Algorithm")));
  if (!isKnown || cipher === undefined) {
    refuse("encryption_algorithm");
  }
  checkCipher(cipher, RSA_MIN_BYTES);
  if (hasHint && parts[1] !== undefined) {
    checkHint(parts[1]);
  }
}

/** What says for which key it is. The library would also look in there for what stands elsewhere. */
function checkHint(hint: Element): void {
  const [, ...within] = allOf(hint);
  if (within.some(({ localName }) => SOUGHT.has(localName))) {
    refuse("encryption_form");
  }
}

function checkCipher(cipher: Element, minBytes: number): void {
  const [value] = partsOf(cipher, [XENC], ["CipherValue"]);
  const bytes = bytesOf(textOf(value, "encryption_form").replace(/[ \t\r\n]/g, ""));
  if (bytes.length < minBytes) {
    refuse("encryption_form");
  }
}

/** The children, if they are just these. */
function partsOf(
  parent: Element,
  namespaces: readonly string[],
  names: readonly string[],
): [Element, Element, Element] {
  const parts = childrenOf(parent);
  const isWhole =
    parts.length === names.length &&
    parts.every((part, index) => isNamed(part, namespaces[index] ?? "", names[index] ?? ""));
  if (!isWhole) {
    refuse("encryption_form");
  }
  // As many as there are names; who asks for fewer than three takes fewer.
  return parts as [Element, Element, Element];
}
