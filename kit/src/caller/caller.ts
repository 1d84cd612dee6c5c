/** Who makes a call, as the access token says. */
export interface Caller {
  readonly principalId: string;
  readonly kind: "user" | "service_account" | "anonymous";
  /** The one org that the call acts in. */
  readonly orgId: string;
  readonly sessionId: string;
  readonly role: Role;
  readonly platformAdmin: boolean;
  readonly groupIds: ReadonlySet<string>;
  readonly managedGroupIds: ReadonlySet<string>;
  /** A guest's session is good for this use case only. */
  readonly useCaseId?: string;
  readonly scopes: readonly string[];
  /** The access token itself, to pass on to other services; empty for `anonymous`. */
  readonly token: string;
}

export type Role = "admin" | "editor" | "member";

/** The caller of what needs no token. */
export const anonymous: Caller = Object.freeze({
  principalId: "",
  kind: "anonymous",
  orgId: "",
  sessionId: "",
  role: "member",
  platformAdmin: false,
  groupIds: new Set<string>(),
  managedGroupIds: new Set<string>(),
  scopes: [],
  token: "",
});
