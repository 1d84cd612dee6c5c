import { createHash, timingSafeEqual } from "node:crypto";
import type { Role } from "@assistant/kit/caller/caller.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import { hmac, hmacs, type Keyring } from "@assistant/kit/database/seal.js";
import { refused } from "@assistant/kit/wire/fault.js";
import { greatestRole, lesserRole } from "./rights.js";
import { keyIdOf, SECRET_PURPOSE } from "./secret.js";
import {
  findFirstPlatformAdmin,
  findServiceAccountPrincipal,
  findSignIns,
  findUserPrincipal,
  type PrincipalRow,
  type SignInRow,
} from "./store/principals.js";
import { type CredentialRow, findCredential } from "./store/service-account-keys.js";
import { emailKey } from "./store/users.js";

/** What a client shows to prove itself. */
export interface Credentials {
  clientId: string;
  clientSecret: string;
  /** E-mail address of the user to act as. */
  loginHint: string | undefined;
}

/** A client that has proved itself. */
export interface Client {
  principal: PrincipalRow;
  /** What its tokens may do at most. */
  role: Role;
  /** How it proved itself. */
  amr: readonly string[];
  /** The key that it showed, if one. */
  keyId: string | undefined;
  /** The fingerprint of that key by the active key of the ring, where it is stored by another. */
  keyMac: Buffer | undefined;
}

export interface ClientParts {
  db: Postgres;
  keyring: Keyring;
  clock: () => number;
  /** The operator's root credential; undefined: there is no such client. */
  bootstrapToken: string | undefined;
}

/** Groups that a token names at most; who is in more is asked about. */
export const GROUPS_MAX = 64;

/** Finds out who a client is, or refuses it in the words of RFC 6749. */
export function clientProof(parts: ClientParts): (credentials: Credentials) => Promise<Client> {
  return (credentials) =>
    credentials.clientId === BOOTSTRAP ? provenOperator(parts, credentials) : provenServiceAccount(parts, credentials);
}

/** The client that the operator is, and how it proves itself. */
export const BOOTSTRAP = "bootstrap";

async function provenOperator({ db, bootstrapToken }: ClientParts, credentials: Credentials): Promise<Client> {
  if (bootstrapToken === undefined || !isSameSecret(bootstrapToken, credentials.clientSecret)) {
    throw refused("invalid_client");
  }
  const { loginHint } = credentials;
  const signIn = loginHint === undefined ? await findFirstPlatformAdmin(db) : await signInOf(db, loginHint);
  const principal =
    signIn === undefined ? undefined : await findUserPrincipal(db, signIn.org_id, signIn.user_id, GROUPS_MAX);
  if (principal === undefined) {
    throw refused("invalid_grant");
  }
  return { principal, role: principal.role, amr: [BOOTSTRAP], keyId: undefined, keyMac: undefined };
}

/** Outside of the platform's first org an address may stand for several users; then it says nothing. */
async function signInOf(db: Postgres, email: string): Promise<SignInRow | undefined> {
  const [first, second] = await findSignIns(db, emailKey(email));
  return second === undefined || first?.first_org ? first : undefined;
}

async function provenServiceAccount(parts: ClientParts, credentials: Credentials): Promise<Client> {
  const { clientId, clientSecret, loginHint } = credentials;
  const keyId = keyIdOf(clientSecret);
  const key = keyId === undefined ? undefined : await findCredential(parts.db, keyId);
  if (key === undefined || key.service_account_id !== clientId || !isGood(key, clientSecret, parts)) {
    throw refused("invalid_client");
  }
  const principal = await findServiceAccountPrincipal(parts.db, key.org_id, clientId, GROUPS_MAX);
  if (principal === undefined) {
    throw refused("invalid_client");
  }
  if (loginHint !== undefined) {
    // A service account is nobody but itself; a token that is not for the user named would be a surprise.
    throw refused("invalid_request", "login_hint is for the client bootstrap only");
  }
  const role = lesserRole(principal.role, greatestRole(key.scopes) ?? principal.role);
  const mac = hmac(parts.keyring, clientSecret, SECRET_PURPOSE);
  return { principal, role, amr: ["key"], keyId: key.id, keyMac: mac.equals(key.secret_mac) ? undefined : mac };
}

function isGood(key: CredentialRow, secret: string, { keyring, clock }: ClientParts): boolean {
  const isMatch = hmacs(keyring, secret, SECRET_PURPOSE).some((mac) => timingSafeEqual(mac, key.secret_mac));
  return isMatch && key.expires_at.getTime() > clock();
}

// Digests are of one length, and how far they agree says nothing about the secrets.
function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
