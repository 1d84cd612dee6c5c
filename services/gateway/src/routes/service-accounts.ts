import { IdentityServiceService as identity } from "@assistant/proto/assistant/identity/v1/service.js";
import { SessionsServiceService as sessions } from "@assistant/proto/assistant/identity/v1/sessions_service.js";
import { type Route, route } from "../route.js";

/** Service accounts and their keys. */
export const serviceAccountsRoutes: readonly Route[] = [
  route("post", "/api/core/service-accounts", identity.createServiceAccount, {
    body: "*",
    respond: "service_account",
    status: 201,
    location: "/api/core/service-accounts/{id}",
    versioned: true,
  }),
  route("get", "/api/core/service-accounts", identity.listServiceAccounts, { respond: "*" }),
  route("get", "/api/core/service-accounts/{service_account_id}", identity.getServiceAccount, {
    respond: "service_account",
    versioned: true,
  }),
  route("patch", "/api/core/service-accounts/{service_account_id}", identity.updateServiceAccount, {
    body: "*",
    respond: "service_account",
    versioned: true,
  }),
  route("delete", "/api/core/service-accounts/{service_account_id}", identity.deleteServiceAccount, {
    respond: "*",
    versioned: true,
  }),
  route("post", "/api/core/service-accounts/{service_account_id}/keys", identity.createServiceAccountKey, {
    body: "*",
    respond: "service_account_key",
    status: 201,
    location: "/api/core/service-accounts/{service_account_id}/keys/{id}",
    versioned: true,
  }),
  route("get", "/api/core/service-accounts/{service_account_id}/keys", identity.listServiceAccountKeys, {
    respond: "*",
  }),
  route("get", "/api/core/service-accounts/{service_account_id}/keys/{key_id}", identity.getServiceAccountKey, {
    respond: "service_account_key",
    versioned: true,
  }),
  route(
    "post",
    "/api/core/service-accounts/{service_account_id}/keys/{key_id}/rotate",
    sessions.rotateServiceAccountKey,
    {
      body: "*",
      respond: "service_account_key",
      status: 201,
      location: "/api/core/service-accounts/{service_account_id}/keys/{id}",
      versioned: true,
    },
  ),
  route("delete", "/api/core/service-accounts/{service_account_id}/keys/{key_id}", identity.deleteServiceAccountKey, {
    respond: "*",
    versioned: true,
  }),
];
