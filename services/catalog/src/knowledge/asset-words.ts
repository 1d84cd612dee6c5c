import type { KnowledgeAssetCategory as Category } from "@assistant/proto/assistant/catalog/v1/knowledge_assets.js";
import type { KnowledgeAssetCategory } from "../store/knowledge-assets.js";

export function presentCategory(word: KnowledgeAssetCategory): Category {
  return CATEGORIES[word];
}

/** Undefined: none is given. */
export function readCategory(category: Category | undefined): KnowledgeAssetCategory | undefined {
  return WORDS.find((word) => CATEGORIES[word] === category);
}

const CATEGORIES: Readonly<Record<KnowledgeAssetCategory, Category>> = {
  personal: "KNOWLEDGE_ASSET_CATEGORY_PERSONAL",
  managed: "KNOWLEDGE_ASSET_CATEGORY_MANAGED",
  external: "KNOWLEDGE_ASSET_CATEGORY_EXTERNAL",
};

// The table has exactly the keys of its type.
const WORDS = Object.keys(CATEGORIES) as KnowledgeAssetCategory[];
