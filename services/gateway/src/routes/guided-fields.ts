import { GuidedFieldsServiceService as fields } from "@assistant/proto/assistant/catalog/v1/guided_fields_service.js";
import { type Route, route } from "../route.js";

/** Guided search fields of use cases and of knowledge assets. */
export const guidedFieldsRoutes: readonly Route[] = [
  route("post", "/api/core/guided_search_fields/use_case/{use_case_id}", fields.createUseCaseField, {
    body: "guided_search_field",
    respond: "guided_search_field",
    status: 201,
    location: "/api/core/guided_search_fields/use_case/{use_case_id}/{id}",
    versioned: true,
  }),
  route("get", "/api/core/guided_search_fields/use_case/{use_case_id}", fields.listUseCaseFields, { respond: "*" }),
  route("put", "/api/core/guided_search_fields/use_case/{use_case_id}/order", fields.reorderUseCaseFields, {
    body: "*",
    respond: "*",
  }),
  route("post", "/api/core/guided_search_fields/use_case/{use_case_id}/render", fields.renderUseCaseFields, {
    body: "*",
    respond: "*",
  }),
  route("get", "/api/core/guided_search_fields/use_case/{use_case_id}/{field_id}", fields.getUseCaseField, {
    respond: "guided_search_field",
    versioned: true,
  }),
  route("put", "/api/core/guided_search_fields/use_case/{use_case_id}/{field_id}", fields.updateUseCaseField, {
    body: "guided_search_field",
    respond: "guided_search_field",
    versioned: true,
  }),
  route("delete", "/api/core/guided_search_fields/use_case/{use_case_id}/{field_id}", fields.deleteUseCaseField, {
    respond: "*",
    versioned: true,
  }),

  route(
    "post",
    "/api/core/guided_search_fields/knowledge_asset/{knowledge_asset_id}",
    fields.createKnowledgeAssetField,
    {
      body: "guided_search_field",
      respond: "guided_search_field",
      status: 201,
      location: "/api/core/guided_search_fields/knowledge_asset/{knowledge_asset_id}/{id}",
      versioned: true,
    },
  ),
  route("get", "/api/core/guided_search_fields/knowledge_asset/{knowledge_asset_id}", fields.listKnowledgeAssetFields, {
    respond: "*",
  }),
  route(
    "delete",
    "/api/core/guided_search_fields/knowledge_asset/{knowledge_asset_id}",
    fields.deleteChosenKnowledgeAssetField,
    { respond: "*", versioned: true },
  ),
  route(
    "put",
    "/api/core/guided_search_fields/knowledge_asset/{knowledge_asset_id}/order",
    fields.reorderKnowledgeAssetFields,
    { body: "*", respond: "*" },
  ),
  route(
    "get",
    "/api/core/guided_search_fields/knowledge_asset/{knowledge_asset_id}/{field_id}",
    fields.getKnowledgeAssetField,
    { respond: "guided_search_field", versioned: true },
  ),
  route(
    "put",
    "/api/core/guided_search_fields/knowledge_asset/{knowledge_asset_id}/{field_id}",
    fields.updateKnowledgeAssetField,
    { body: "guided_search_field", respond: "guided_search_field", versioned: true },
  ),
  route(
    "delete",
    "/api/core/guided_search_fields/knowledge_asset/{knowledge_asset_id}/{field_id}",
    fields.deleteKnowledgeAssetField,
    { respond: "*", versioned: true },
  ),
];
