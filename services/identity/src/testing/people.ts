import { randomBytes } from "node:crypto";
import type { Role } from "@assistant/kit/caller/caller.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { presentRole } from "../words.js";
import { ADMIN_EMAIL, type Bearer, type Platform } from "./platform.js";

/** A user with a token. */
export interface Person extends Bearer {
  id: string;
  orgId: string;
  email: string;
}

/** The platform admin, who is the first org's admin. */
export function rootOf(platform: Platform): Promise<Person> {
  return personOf(platform, ADMIN_EMAIL);
}

/** Whoever has an e-mail address, with a new token. */
export async function personOf(platform: Platform, email: string): Promise<Person> {
  const token = await signIn(platform, email);
  const { sub, org } = claimsOf(token);
  return { ...platform.bearer(token), id: String(sub), orgId: String(org), email };
}

/** A new user of the admin's org. */
export async function hire(platform: Platform, admin: Person, role: Role = "member"): Promise<Person> {
  const email = newEmail();
  await admin.ask(rpcs.createUser, { email, name: "Somebody", role: presentRole(role) });
  return personOf(platform, email);
}

/** A new org, by its admin. */
export async function openOrg(platform: Platform): Promise<Person> {
  const root = await rootOf(platform);
  const { org } = await root.ask(rpcs.createOrg, { name: "Another" });
  const org_id = present(org).id;
  const founder = await hire(platform, root);
  await root.ask(rpcs.createOrgMember, { org_id, user_id: founder.id, role: "ROLE_ADMIN" });
  await root.ask(rpcs.deleteOrgMember, { org_id: root.orgId, user_id: founder.id });
  // Founders belong to the first org; an org's own first admin is made by one.
  return hire(platform, await personOf(platform, founder.email), "admin");
}

export async function signIn({ bearer, bootstrapToken }: Platform, email: string): Promise<string> {
  const request = { grant_type: "client_credentials", client_id: "bootstrap", client_secret: bootstrapToken };
  return (await bearer("").ask(rpcs.issueToken, { ...request, login_hint: email })).access_token;
}

/** What a token says, unverified. */
export function claimsOf(token: string): Record<string, unknown> {
  const [, payload = ""] = token.split(".");
  return JSON.parse(Buffer.from(payload, "base64url").toString());
}

export function newEmail(): string {
  return `${randomBytes(6).toString("hex")}@test.example`;
}

/** Kind of a fault and, in short, what it says is wrong where; fails itself if the call did not fail. */
export async function refusal(call: Promise<unknown>): Promise<{ kind: string; at: string[] }> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { kind, violations } = error;
    return { kind, at: violations.map(({ path, type }) => `${path.join(".")}: ${type}`) };
  }
  throw new Error("the call did not fail");
}

export function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("the answer lacks its message");
  return value;
}
