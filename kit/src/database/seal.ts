import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** The keys of a deployment. The active one seals; the others still open what they sealed, until they are taken out. */
export interface Keyring {
  readonly active: Key;
  readonly keys: ReadonlyMap<string, Key>;
}

/** Two keys for two purposes, both derived from the one in the file. */
export interface Key {
  readonly kid: string;
  readonly sealing: Buffer;
  readonly lookup: Buffer;
}

/** Reads `{"active":"k1","keys":{"k1":"<base64 of 32 bytes>"}}`. Errors never show the keys. */
export function openKeyring(json: string): Keyring {
  const { active, keys } = parseKeyring(json);
  const derived = new Map(Object.entries(keys).map(([kid, encoded]) => [kid, deriveKey(kid, encoded)]));
  const activeKey = derived.get(active);
  if (activeKey === undefined) {
    throw new Error("the keyring's active key is not among its keys");
  }
  return { active: activeKey, keys: derived };
}

/**
 * Seals a secret. `context` says what it belongs to (table, row, org, field): it opens only under the same context, so
 * a sealed value copied into another row is of no use there.
 */
export function seal(keyring: Keyring, plaintext: string | Uint8Array, context: readonly string[]): Buffer {
  const { kid, sealing } = keyring.active;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", sealing, nonce).setAAD(associated(kid, context));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([Buffer.from([VERSION, kid.length]), Buffer.from(kid), nonce, ciphertext, cipher.getAuthTag()]);
}

/** Opens what `seal` made; throws if the key is unknown, the context another, or a bit has changed. */
export function unseal(keyring: Keyring, sealed: Uint8Array, context: readonly string[]): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const nonceAt = 2 + (bytes[1] ?? 0);
  if (bytes[0] !== VERSION || bytes.length < nonceAt + NONCE_BYTES + TAG_BYTES) {
    throw new Error("this is no sealed value");
  }
  const kid = bytes.toString("latin1", 2, nonceAt);
  const key = keyring.keys.get(kid);
  if (key === undefined) {
    throw new Error("sealed with a key that is not in the keyring");
  }
  const textAt = nonceAt + NONCE_BYTES;
  const tagAt = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", key.sealing, bytes.subarray(nonceAt, textAt), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(associated(kid, context))
    .setAuthTag(bytes.subarray(tagAt));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(textAt, tagAt)), decipher.final()]);
  } catch (cause) {
    throw new Error("the sealed value does not open: it is damaged, or belongs elsewhere", { cause });
  }
}

/** A keyed fingerprint to store and to find a secret by, without storing the secret. */
export function hmac(keyring: Keyring, secret: string | Uint8Array, purpose: string): Buffer {
  return fingerprint(keyring.active, secret, purpose);
}

/** The fingerprints under every key of the ring, the active first: what was stored before a rotation is still found. */
export function hmacs(keyring: Keyring, secret: string | Uint8Array, purpose: string): Buffer[] {
  const others = [...keyring.keys.values()].filter((key) => key !== keyring.active);
  return [keyring.active, ...others].map((key) => fingerprint(key, secret, purpose));
}

const VERSION = 1;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KID = /^[A-Za-z0-9_-]{1,64}$/;

function fingerprint(key: Key, secret: string | Uint8Array, purpose: string): Buffer {
  return createHmac("sha256", key.lookup).update(`${purpose}\0`).update(secret).digest();
}

// JSON keeps the parts apart: ["a","bc"] and ["ab","c"] are two contexts.
function associated(kid: string, context: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify([`v${VERSION}`, kid, ...context]));
}

function deriveKey(kid: string, encoded: unknown): Key {
  const secret = typeof encoded === "string" ? Buffer.from(encoded, "base64") : Buffer.alloc(0);
  if (!KID.test(kid) || secret.length !== KEY_BYTES) {
    throw new Error(`each key of the keyring needs a name of letters and digits and ${KEY_BYTES} bytes in base64`);
  }
  const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", secret, "", `assistant/${purpose}`, KEY_BYTES));
  return { kid, sealing: derive("sealing"), lookup: derive("lookup") };
}

function parseKeyring(json: string): { active: string; keys: Readonly<Record<string, unknown>> } {
  const ring = parseJson(json);
  if (isRecord(ring) && typeof ring.active === "string" && isRecord(ring.keys)) {
    return { active: ring.active, keys: ring.keys };
  }
  throw new Error('the keyring must be JSON like {"active":"k1","keys":{"k1":"<base64 of 32 bytes>"}}');
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The parser's message quotes the text, which holds keys.
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
