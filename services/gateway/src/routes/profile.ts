import { ProfileServiceService as profile } from "@assistant/proto/assistant/identity/v1/profile_service.js";
import { type Route, route } from "../route.js";

/** What callers know of themselves. */
export const profileRoutes: readonly Route[] = [
  route("get", "/api/core/user/profile", profile.getProfile, { respond: "profile", versioned: true }),
  route("patch", "/api/core/user/profile", profile.updateProfile, { body: "*", respond: "profile", versioned: true }),
  route("patch", "/api/core/user/profile/model", profile.updatePreferredModel, {
    body: "*",
    respond: "profile",
    versioned: true,
  }),
  route("get", "/api/core/user/login-history", profile.listLogins, { respond: "*" }),
  route("put", "/api/core/user/favorites/{use_case_id}", profile.putFavorite, { respond: "*" }),
  route("delete", "/api/core/user/favorites/{use_case_id}", profile.deleteFavorite, { respond: "*" }),
  route("get", "/api/core/me/permissions", profile.getPermissions, { respond: "*" }),
];
