import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { KnowledgeServiceService } from "@assistant/proto/assistant/catalog/v1/knowledge_service.js";
import { knowledgeAssetLists } from "./asset-lists.js";
import { knowledgeAssets } from "./assets.js";
import { knowledgeGrants } from "./grants.js";
import type { KnowledgeParts } from "./parts.js";
import { knowledgeSources } from "./sources.js";

export function knowledgeService(parts: KnowledgeParts): Handlers<KnowledgeServiceService> {
  return {
    ...knowledgeSources(parts),
    ...knowledgeGrants(parts),
    ...knowledgeAssets(parts),
    ...knowledgeAssetLists(parts),
  };
}
