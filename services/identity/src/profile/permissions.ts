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

// A guest reads the one use case and what belongs to it, and has chats there.
const GUEST = [
  "contexts.read",
  "guided_search_fields.read",
  "knowledge_assets.read",
  "platform_settings.read",
  "profile.read",
  "use_cases.read",
  ...both("own_chats"),
  "own_feedback.write",
];

const MEMBER = [
  "contexts.read",
  "context_categories.read",
  "guided_search_fields.read",
  "knowledge_assets.read",
  "models.read",
  "platform_settings.read",
  "use_cases.read",
  ...both("own_chats"),
  ...both("own_contexts"),
  ...both("own_context_categories"),
  ...both("own_knowledge_assets"),
  ...both("own_sessions"),
  "own_feedback.write",
  ...both("profile"),
];

const EDITOR = [
  "contexts.write",
  "context_categories.write",
  "feedback.read",
  "guided_search_fields.write",
  "use_cases.write",
];

const GROUP_MANAGER = ["group_contexts.write", "group_context_categories.write"];

const ADMIN = [
  "enabled_models.write",
  "feedback.write",
  "knowledge_assets.write",
  "org.write",
  ...[
    "credentials",
    "groups",
    "jobs",
    "knowledge_sources",
    "magic_links",
    "org_members",
    "qr_links",
    "saml_connections",
    "service_accounts",
    "sessions",
    "site_portal",
    "sync_settings",
    "users",
  ].flatMap(both),
];

const PLATFORM_ADMIN = ["models.write", "orgs.read", "orgs.write", "platform_settings.write"];
