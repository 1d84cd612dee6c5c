import { SettingsServiceService as settings } from "@assistant/proto/assistant/identity/v1/settings_service.js";
import { file, type Route, route } from "../route.js";

const ICONS = ["image/svg+xml", "image/png", "image/x-icon"] as const;

/** What the platform is called, how it looks, and which models it offers. */
export const settingsRoutes: readonly Route[] = [
  route("get", "/api/core/models", settings.listModels, { respond: "*" }),
  route("put", "/api/core/models/{model_id}", settings.putModel, { body: "*", respond: "model" }),
  route("delete", "/api/core/models/{model_id}", settings.deleteModel, { respond: "*" }),
  route("put", "/api/core/models/{model_id}/enabled", settings.enableModel, { body: "*", respond: "model" }),

  route("get", "/api/core/platform_settings", settings.getPlatformSettings, {
    respond: "platform_settings",
    versioned: true,
  }),
  route("put", "/api/core/platform_settings", settings.updatePlatformSettings, {
    body: "*",
    respond: "platform_settings",
    versioned: true,
  }),
  file("/api/core/platform_settings/favicon", settings.getFavicon, {
    file: "file",
    json: "favicon",
    media: ICONS,
    cache: "private, no-cache",
  }),
  route("put", "/api/core/platform_settings/favicon", settings.updateFavicon, {
    body: "*",
    respond: "favicon",
    versioned: true,
  }),
  route("delete", "/api/core/platform_settings/favicon", settings.deleteFavicon, { respond: "*", versioned: true }),
  file("/favicon.ico", settings.getFavicon, {
    file: "file",
    media: ICONS,
    open: true,
    alias: true,
    cache: "public, max-age=300",
  }),
];
