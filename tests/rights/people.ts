import { randomBytes } from "node:crypto";
import type { Platform } from "../platform.js";

/** Who tries every operation. All but the stranger act in the first org. */
export const PEOPLE = ["root", "admin", "editor", "member", "account", "guest", "stranger"] as const;

/**
 * `root` manages the platform, and the org like `admin`; `account` is a service account of a member's rights, `guest` came
 * by the QR link of a use case, `stranger` is the admin of another org.
 */
export type Who = (typeof PEOPLE)[number];

export interface People {
  readonly orgId: string;
  token(who: Who): string;
  /** Another session of the same person: its id. */
  newSession(who: Who): Promise<string>;
}

export async function createPeople(platform: Platform): Promise<People> {
  const root = await platform.token();
  const orgId = String(claimsOf(root)["org"]);
  const signIns: Record<Who, () => Promise<string>> = {
    root: () => platform.token(),
    admin: await hire(platform, root, "admin"),
    editor: await hire(platform, root, "editor"),
    member: await hire(platform, root, "member"),
    account: await openAccount(platform, root),
    guest: await inviteGuest(platform, root),
    stranger: await hireElsewhere(platform, root, orgId),
  };
  const tokens = new Map<Who, string>();
  for (const who of PEOPLE) tokens.set(who, await signIns[who]());
  return {
    orgId,
    token: (who) => tokens.get(who) ?? "",
    newSession: async (who) => String(claimsOf(await signIns[who]())["sid"]),
  };
}

type SignIn = () => Promise<string>;

async function hire(platform: Platform, root: string, role: string): Promise<SignIn> {
  const { email } = await createUser(platform, root, role);
  return () => platform.token(email);
}

async function hireElsewhere(platform: Platform, root: string, orgId: string): Promise<SignIn> {
  const { id, email } = await createUser(platform, root, "member");
  const { id: otherId } = await platform.post<{ id: string }>("/api/core/orgs", root, { name: "Elsewhere" });
  await platform.post(`/api/core/orgs/${otherId}/members`, root, { user_id: id, role: "admin" });
  const headers = { authorization: `Bearer ${root}` };
  const left = await fetch(`${platform.url}/api/core/orgs/${orgId}/members/${id}`, { method: "DELETE", headers });
  if (!left.ok) throw new Error(`the stranger could not leave the first org: ${left.status}`);
  return () => platform.token(email);
}

async function openAccount(platform: Platform, root: string): Promise<SignIn> {
  const path = "/api/core/service-accounts";
  const { id } = await platform.post<{ id: string }>(path, root, { name: "A program" });
  const { key } = await platform.post<{ key: string }>(`${path}/${id}/keys`, root, {});
  const request = { grant_type: "client_credentials", client_id: id, client_secret: key };
  return () => requestToken(platform, request);
}

async function inviteGuest(platform: Platform, root: string): Promise<SignIn> {
  const path = "/api/core/use-cases";
  const { id } = await platform.post<{ id: string }>(path, root, { label: { en: "For guests" } });
  const { token } = await platform.post<{ token: string }>(`${path}/${id}/qr-link`, root, {});
  return () => requestToken(platform, { grant_type: "urn:assistant:grant-type:magic-link", token });
}

async function createUser(platform: Platform, root: string, role: string): Promise<{ id: string; email: string }> {
  const email = `${randomBytes(6).toString("hex")}@rights.example`;
  return platform.post("/api/core/users", root, { email, name: role, role });
}

async function requestToken(platform: Platform, request: object): Promise<string> {
  return (await platform.post<{ access_token: string }>("/api/core/auth/token", "", request)).access_token;
}

function claimsOf(token: string): Record<string, unknown> {
  const [, claims = ""] = token.split(".");
  return JSON.parse(Buffer.from(claims, "base64url").toString());
}
