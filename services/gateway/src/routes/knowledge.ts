import { KnowledgeServiceService as knowledge } from "@assistant/proto/assistant/catalog/v1/knowledge_service.js";
import { type Route, route } from "../route.js";

const SOURCES = "/api/core/knowledge_sources";
const SOURCE = `${SOURCES}/{knowledge_source_id}` as const;
const GRANT = `${SOURCE}/grants/{principal_id}` as const;
const ASSETS = "/api/core/knowledge_assets";
const ASSET = `${ASSETS}/{knowledge_asset_id}` as const;

/** Knowledge sources, who holds them, and the assets that bundle them. */
export const knowledgeRoutes: readonly Route[] = [
  route("post", SOURCES, knowledge.createKnowledgeSource, {
    body: "*",
    respond: "knowledge_source",
    status: 201,
    location: `${SOURCES}/{id}`,
    versioned: true,
  }),
  route("get", SOURCES, knowledge.listKnowledgeSources, { respond: "*" }),
  route("get", SOURCE, knowledge.getKnowledgeSource, { respond: "knowledge_source", versioned: true }),
  route("put", SOURCE, knowledge.updateKnowledgeSource, { body: "*", respond: "knowledge_source", versioned: true }),
  route("delete", SOURCE, knowledge.deleteKnowledgeSource, { respond: "*", versioned: true }),
  route("post", `${SOURCE}/grants`, knowledge.createKnowledgeGrant, {
    body: "*",
    respond: "knowledge_grant",
    status: 201,
    location: GRANT,
    versioned: true,
  }),
  route("get", `${SOURCE}/grants`, knowledge.listKnowledgeGrants, { respond: "*" }),
  route("get", GRANT, knowledge.getKnowledgeGrant, { respond: "knowledge_grant", versioned: true }),
  route("delete", GRANT, knowledge.deleteKnowledgeGrant, { respond: "*", versioned: true }),

  route("post", ASSETS, knowledge.createKnowledgeAsset, {
    body: "*",
    respond: "knowledge_asset",
    status: 201,
    location: `${ASSETS}/{id}`,
    versioned: true,
  }),
  route("get", ASSETS, knowledge.listKnowledgeAssets, { respond: "*" }),
  route("get", ASSET, knowledge.getKnowledgeAsset, { respond: "knowledge_asset", versioned: true }),
  route("put", ASSET, knowledge.updateKnowledgeAsset, { body: "*", respond: "knowledge_asset", versioned: true }),
  route("delete", ASSET, knowledge.deleteKnowledgeAsset, { respond: "*", versioned: true }),
  route("post", `${ASSET}/restore`, knowledge.restoreKnowledgeAsset, { respond: "knowledge_asset", versioned: true }),
];
