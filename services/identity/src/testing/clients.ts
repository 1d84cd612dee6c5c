import type { Role } from "@assistant/kit/caller/caller.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import type { NewServiceAccountKey } from "@assistant/proto/assistant/identity/v1/service_account_keys.js";
import type { IssueTokenRequest } from "@assistant/proto/assistant/identity/v1/tokens.js";
import { presentRole } from "../words.js";
import { type Person, present } from "./people.js";
import type { Platform } from "./platform.js";

/** A program with a service account and a key. */
export interface Program {
  id: string;
  orgId: string;
  key: NewServiceAccountKey;
}

export async function installProgram(admin: Person, role: Role = "member", scopes: Role[] = []): Promise<Program> {
  const request = { name: "Program", role: presentRole(role) };
  const { id } = present((await admin.ask(rpcs.createServiceAccount, request)).service_account);
  return { id, orgId: admin.orgId, key: await newKey(admin, id, { scopes }) };
}

export async function newKey(
  admin: Person,
  service_account_id: string,
  about: { scopes?: Role[]; expiresInS?: number } = {},
) {
  const scopes = (about.scopes ?? []).map(presentRole);
  const request = { service_account_id, expires_in_s: about.expiresInS, scopes };
  return present((await admin.ask(rpcs.createServiceAccountKey, request)).service_account_key);
}

/** Asks for a token as the program would; `changed` replaces what it sends. */
export async function tokenOf(platform: Platform, program: Program, changed: Partial<IssueTokenRequest> = {}) {
  const request = { grant_type: "client_credentials", client_id: program.id, client_secret: program.key.key };
  return platform.bearer("").ask(rpcs.issueToken, { ...request, ...changed });
}
