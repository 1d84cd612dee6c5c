import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { ProfileServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/profile_service.js";
import { presentRole } from "../words.js";

export function permissions(): Handlers<Pick<typeof rpcs, "getPermissions">> {
  return {
    getPermissions: async (_request, { caller }) => ({
      org_id: caller.orgId,
      role: presentRole(caller.role),
      platform_admin: caller.platformAdmin,
      group_ids: [...caller.groupIds].sort(),
      managed_group_ids: [...caller.managedGroupIds].sort(),
      use_case_id: caller.useCaseId,
      permissions: permissionsOf(caller),
    }),
  };
}

/** What a caller may read and write, in words, sorted. */
export function permissionsOf({ role, platformAdmin, managedGroupIds, useCaseId }: Caller): string[] {
  if (useCaseId !== undefined) {
    return [...GUEST].sort();
  }
  const held = [
    ...MEMBER,
    ...(role === "member" ? [] : EDITOR),
    ...(role === "admin" ? ADMIN : []),
    ...(managedGroupIds.size > 0 || role === "admin" ? GROUP_MANAGER : []),
    ...(platformAdmin ? PLATFORM_ADMIN : []),
  ];
  return [...new Set(held)].sort();
}

const both = (what: string): string[] => [`${what}.read`, `${what}.write`];

// Only what is served: whoever shows a page by these words shows none that fails.
const GUEST = [
  "contexts.resolve",
  "guided_search_fields.read",
  "knowledge_assets.read",
  "platform_settings.read",
  "profile.read",
  "use_cases.read",
];

const MEMBER = [
  ...GUEST,
  "contexts.read",
  "context_categories.read",
  "knowledge_asset_fields.read",
  "login_history.read",
  "models.read",
  "orgs.read",
  "own_groups.read",
  "own_knowledge_assets.write",
  "profile.write",
  "use_case_translations.read",
  ...both("own_contexts"),
  ...both("own_context_categories"),
  ...both("own_sessions"),
];

const EDITOR = ["contexts.write", "context_categories.write", "guided_search_fields.write", "use_cases.write"];

const GROUP_MANAGER = ["group_contexts.write", "group_context_categories.write"];

const ADMIN = [
  "enabled_models.write",
  "knowledge_asset_fields.write",
  "knowledge_assets.write",
  "org.write",
  "org_domains.read",
  ...[
    "groups",
    "knowledge_sources",
    "magic_links",
    "org_members",
    "qr_links",
    "saml_connections",
    "service_accounts",
    "sessions",
    "users",
  ].flatMap(both),
];

const PLATFORM_ADMIN = [
  "models.write",
  "org_domains.write",
  "orgs.write",
  "platform_settings.write",
  "saml_keys.write",
];
