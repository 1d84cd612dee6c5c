import { CatalogServiceService as catalog } from "@assistant/proto/assistant/catalog/v1/service.js";
import { UseCaseContentServiceService as content } from "@assistant/proto/assistant/catalog/v1/use_case_content_service.js";
import { type Route, route } from "../route.js";

/** Use cases and what belongs to them. */
export const catalogRoutes: readonly Route[] = [
  route("post", "/api/core/use-cases", catalog.createUseCase, {
    body: "*",
    respond: "use_case",
    status: 201,
    location: "/api/core/use-cases/{id}",
    versioned: true,
  }),
  route("get", "/api/core/use-cases", catalog.listUseCases, { respond: "*" }),
  route("get", "/api/core/use-cases/{use_case_id}", catalog.getUseCase, { respond: "use_case", versioned: true }),
  route("put", "/api/core/use-cases/{use_case_id}", catalog.updateUseCase, {
    body: "*",
    respond: "*",
    versioned: true,
  }),
  route("delete", "/api/core/use-cases/{use_case_id}", catalog.deleteUseCase, { respond: "*", versioned: true }),
  route("post", "/api/core/use-cases/{use_case_id}/restore", catalog.restoreUseCase, {
    respond: "use_case",
    versioned: true,
  }),
  route("get", "/api/core/use-cases/{use_case_id}/knowledge-assets", content.listAttachedKnowledgeAssets, {
    respond: "items",
  }),
  route("get", "/api/core/use-cases/{use_case_id}/translations", content.listMissingTranslations, { respond: "*" }),
  route(
    "put",
    "/api/core/use-cases/{use_case_id}/knowledge-assets/{knowledge_asset_id}",
    content.attachKnowledgeAsset,
    {
      body: "*",
      respond: "*",
      versioned: true,
    },
  ),
  route(
    "delete",
    "/api/core/use-cases/{use_case_id}/knowledge-assets/{knowledge_asset_id}",
    content.detachKnowledgeAsset,
    { respond: "*", versioned: true },
  ),
];
