import { nobody } from "@assistant/kit/database/origin.js";
import { newId } from "@assistant/kit/process/id.js";
import { insertKnowledgeAsset, type NewKnowledgeAsset } from "../store/knowledge-assets.js";
import type { Texts } from "../store/use-cases.js";
import type { Person, Platform } from "./platform.js";

/** An asset in the org of somebody, who created it; external if not said otherwise. Its id. */
export async function insertAsset(
  { db }: Platform,
  { caller }: Person,
  about: Partial<NewKnowledgeAsset> & { label?: Texts; description?: Texts; sources?: readonly string[] } = {},
): Promise<string> {
  const { label = { en: "Archive" }, description = {}, sources = [], ...rest } = about;
  const fresh = {
    orgId: caller.orgId,
    id: newId("ka"),
    category: "external",
    createdBy: caller.principalId,
    ...rest,
  } as const;
  const content = {
    label,
    description,
    knowledge_source_ids: sources,
    is_selected_by_default: false,
    rerank_top_n: 20,
    chunk_reranker_threshold: 0.3,
    icon_filename: "",
    fallback_strategy_tool_ids: [],
    load_page_assets: false,
    download_disabled: false,
  };
  await db.transaction(nobody, (tx) => insertKnowledgeAsset(tx, fresh, content));
  return fresh.id;
}
