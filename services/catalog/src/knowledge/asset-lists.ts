import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { KnowledgeServiceService as Rpcs } from "@assistant/proto/assistant/catalog/v1/knowledge_service.js";
import { listKnowledgeAssets } from "../store/knowledge-asset-lists.js";
import { readCategory } from "./asset-words.js";
import { askedPage } from "./paging.js";
import type { KnowledgeParts } from "./parts.js";
import { presentAssets } from "./presenting.js";
import { visibleAssets } from "./visibility.js";

export function knowledgeAssetLists({ db, pager }: KnowledgeParts): Handlers<Pick<typeof Rpcs, "listKnowledgeAssets">> {
  return {
    async listKnowledgeAssets(request, call) {
      const category = readCategory(request.category);
      const filters = [call.caller.useCaseId, category, request.text];
      const { pageSize, before, after } = askedPage<string>(pager, request, call, filters);
      const sight = visibleAssets(call.caller);
      const { rows, more } = await listKnowledgeAssets(db, { sight, category, text: request.text, before, pageSize });
      const items = await presentAssets(db, call.caller, rows);
      return { items, next_page_token: after(more ? rows.at(-1)?.id : undefined) };
    },
  };
}
