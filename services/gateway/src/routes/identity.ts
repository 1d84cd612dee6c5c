import { CallersServiceService as callers } from "@assistant/proto/assistant/common/v1/callers.js";
import { IdentityServiceService as identity } from "@assistant/proto/assistant/identity/v1/service.js";
import { type Route, route } from "../route.js";
import { serviceAccountsRoutes } from "./service-accounts.js";
import { sessionsRoutes } from "./sessions.js";

/** Tokens, orgs, users, groups and service accounts. */
export const identityRoutes: readonly Route[] = [
  route("post", "/api/core/auth/token", identity.issueToken, {
    body: "*",
    respond: "*",
    open: true,
    form: true,
    cookie: true,
    basic: true,
    rate: "token",
  }),
  ...sessionsRoutes,
  route("get", "/.well-known/jwks.json", callers.getKeys, { respond: "*", open: true, cache: "public, max-age=300" }),

  route("post", "/api/core/orgs", identity.createOrg, {
    body: "*",
    respond: "org",
    status: 201,
    location: "/api/core/orgs/{id}",
    versioned: true,
  }),
  route("get", "/api/core/orgs", identity.listOrgs, { respond: "*" }),
  route("get", "/api/core/orgs/{org_id}", identity.getOrg, { respond: "org", versioned: true }),
  route("patch", "/api/core/orgs/{org_id}", identity.updateOrg, { body: "*", respond: "org", versioned: true }),
  route("post", "/api/core/orgs/{org_id}/members", identity.createOrgMember, {
    body: "*",
    respond: "org_member",
    status: 201,
    location: "/api/core/orgs/{org_id}/members/{user_id}",
    versioned: true,
  }),
  route("get", "/api/core/orgs/{org_id}/members", identity.listOrgMembers, { respond: "*" }),
  route("get", "/api/core/orgs/{org_id}/members/{user_id}", identity.getOrgMember, {
    respond: "org_member",
    versioned: true,
  }),
  route("patch", "/api/core/orgs/{org_id}/members/{user_id}", identity.updateOrgMember, {
    body: "*",
    respond: "org_member",
    versioned: true,
  }),
  route("delete", "/api/core/orgs/{org_id}/members/{user_id}", identity.deleteOrgMember, {
    respond: "*",
    versioned: true,
  }),

  route("post", "/api/core/users", identity.createUser, {
    body: "*",
    respond: "user",
    status: 201,
    location: "/api/core/users/{id}",
    versioned: true,
  }),
  route("get", "/api/core/users", identity.listUsers, { respond: "*" }),
  route("get", "/api/core/users/{user_id}", identity.getUser, { respond: "user", versioned: true }),
  route("patch", "/api/core/users/{user_id}", identity.updateUser, { body: "*", respond: "user", versioned: true }),

  route("post", "/api/core/groups", identity.createGroup, {
    body: "*",
    respond: "group",
    status: 201,
    location: "/api/core/groups/{id}",
    versioned: true,
  }),
  route("get", "/api/core/groups", identity.listGroups, { respond: "*" }),
  route("get", "/api/core/groups/{group_id}", identity.getGroup, { respond: "group", versioned: true }),
  route("patch", "/api/core/groups/{group_id}", identity.updateGroup, { body: "*", respond: "group", versioned: true }),
  route("delete", "/api/core/groups/{group_id}", identity.deleteGroup, { respond: "*", versioned: true }),
  route("post", "/api/core/groups/{group_id}/members", identity.createGroupMember, {
    body: "*",
    respond: "group_member",
    status: 201,
    location: "/api/core/groups/{group_id}/members/{principal_id}",
    versioned: true,
  }),
  route("get", "/api/core/groups/{group_id}/members", identity.listGroupMembers, { respond: "*" }),
  route("get", "/api/core/groups/{group_id}/members/{principal_id}", identity.getGroupMember, {
    respond: "group_member",
    versioned: true,
  }),
  route("delete", "/api/core/groups/{group_id}/members/{principal_id}", identity.deleteGroupMember, {
    respond: "*",
    versioned: true,
  }),

  ...serviceAccountsRoutes,
];
