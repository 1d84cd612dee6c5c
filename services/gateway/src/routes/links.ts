import { LinksServiceService as identity } from "@assistant/proto/assistant/identity/v1/links_service.js";
import { file, type Route, route } from "../route.js";

/** Links that sign in whoever has them: of service accounts, and to use cases. */
export const linksRoutes: readonly Route[] = [
  route("post", "/api/core/service-accounts/{service_account_id}/magic-links", identity.createMagicLink, {
    body: "*",
    respond: "magic_link",
    status: 201,
    location: "/api/core/service-accounts/{service_account_id}/magic-links/{token_id}",
  }),
  route("get", "/api/core/service-accounts/{service_account_id}/magic-links", identity.listMagicLinks, {
    respond: "items",
  }),
  route("get", "/api/core/service-accounts/{service_account_id}/magic-links/{token_id}", identity.getMagicLink, {
    respond: "magic_link",
  }),
  route("delete", "/api/core/service-accounts/{service_account_id}/magic-links/{token_id}", identity.deleteMagicLink, {
    respond: "*",
  }),

  route("post", "/api/core/use-cases/{use_case_id}/qr-link", identity.createQrLink, {
    body: "*",
    respond: "magic_link",
    status: 201,
    location: "/api/core/use-cases/{use_case_id}/qr-link/magic-links/{token_id}",
  }),
  route("get", "/api/core/use-cases/{use_case_id}/qr-link", identity.getNewestQrLink, { respond: "magic_link" }),
  route("post", "/api/core/use-cases/{use_case_id}/qr-link/rotate", identity.rotateQrLink, {
    body: "*",
    respond: "magic_link",
    status: 201,
    location: "/api/core/use-cases/{use_case_id}/qr-link/magic-links/{token_id}",
  }),
  route("get", "/api/core/use-cases/{use_case_id}/qr-link/magic-links", identity.listQrLinks, { respond: "items" }),
  route("get", "/api/core/use-cases/{use_case_id}/qr-link/magic-links/{token_id}", identity.getQrLink, {
    respond: "magic_link",
  }),
  route("delete", "/api/core/use-cases/{use_case_id}/qr-link/magic-links/{token_id}", identity.deleteQrLink, {
    respond: "*",
  }),
  file("/api/core/use-cases/{use_case_id}/qr-link/magic-links/{token_id}/qr.svg", identity.getQrLinkSvg, {
    file: "file",
    media: ["image/svg+xml"],
  }),
  file("/api/core/use-cases/{use_case_id}/qr-link/magic-links/{token_id}/qr.png", identity.getQrLinkPng, {
    file: "file",
    media: ["image/png"],
  }),
];
