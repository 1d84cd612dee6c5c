import type { Sql } from "@assistant/kit/database/postgres.js";
import { tooFew, valueError } from "@assistant/kit/rules/violation.js";
import { invalid } from "@assistant/kit/wire/fault.js";
import type {
  CreateKnowledgeAssetRequest,
  UpdateKnowledgeAssetRequest,
} from "@assistant/proto/assistant/catalog/v1/knowledge_assets.js";
import type { KnowledgeAssetContent, KnowledgeAssetRow } from "../store/knowledge-assets.js";
import { keepKnowledgeSources } from "../store/knowledge-sources.js";
import type { Sight } from "../store/knowledge-visibility.js";

/** What a request for a new asset says. */
export function newAssetContent(request: CreateKnowledgeAssetRequest): KnowledgeAssetContent {
  return saidBy(request, {
    label: {},
    description: {},
    knowledge_source_ids: [],
    is_selected_by_default: false,
    rerank_top_n: RERANK_TOP_N,
    chunk_reranker_threshold: CHUNK_RERANKER_THRESHOLD,
    icon_filename: "",
    fallback_strategy_tool_ids: [],
    load_page_assets: false,
    download_disabled: false,
  });
}

/** What an asset says after a request that names some of its fields. */
export function changedAssetContent(row: KnowledgeAssetRow, request: UpdateKnowledgeAssetRequest) {
  const given = collectionsGiven(request);
  const empty = (["label", "description"] as const).filter(
    (field) => given.has(field) && Object.keys(request[field]).length === 0,
  );
  if (empty.length > 0) {
    // On the wire a map that is empty is one left out, which the rules cannot tell from one that the mask names.
    throw invalid(...empty.map((field) => tooFew([field], "Dictionary", 1, 0)));
  }
  const before = assetContentOf(row);
  const pick = <Field extends Collection>(field: Field) => (given.has(field) ? request[field] : before[field]);
  return saidBy(
    {
      ...request,
      label: pick("label"),
      description: pick("description"),
      knowledge_source_ids: [...pick("knowledge_source_ids")],
      fallback_strategy_tool_ids: [...pick("fallback_strategy_tool_ids")],
    },
    before,
  );
}

export function assetContentOf(row: KnowledgeAssetRow): KnowledgeAssetContent {
  const { id: _id, org_id: _org, category: _category, created_by: _by, version: _version, ...rest } = row;
  const { deleted_at: _at, ...content } = rest;
  return content;
}

/** Throws unless the caller knows every source; keeps them until the end of the transaction. */
export async function requireSources(tx: Sql, sight: Sight, ids: readonly string[]): Promise<void> {
  const { orgId, principalIds, knowsAllSources } = sight;
  const heldBy = knowsAllSources ? undefined : principalIds;
  const known = ids.length === 0 ? [] : await keepKnowledgeSources(tx, { orgId, ids, heldBy });
  const unknown = ids.flatMap((id, index) => (known.includes(id) ? [] : [String(index)]));
  if (unknown.length > 0) {
    const text = "Unknown knowledge_source_ids";
    throw invalid(...unknown.map((index) => valueError(["knowledge_source_ids", index], text)));
  }
}

/** Whether a request names the sources of an asset. */
export function namesSources(request: UpdateKnowledgeAssetRequest): boolean {
  return collectionsGiven(request).has("knowledge_source_ids");
}

const RERANK_TOP_N = 20;
const CHUNK_RERANKER_THRESHOLD = 0.3;

const COLLECTIONS = ["label", "description", "knowledge_source_ids", "fallback_strategy_tool_ids"] as const;
type Collection = (typeof COLLECTIONS)[number];

/** Those that the mask names; without a mask those that hold anything. */
function collectionsGiven(request: UpdateKnowledgeAssetRequest): ReadonlySet<string> {
  const filled = () => COLLECTIONS.filter((field) => Object.keys(request[field]).length > 0);
  return new Set(request.update_mask ?? filled());
}

type Said = Omit<CreateKnowledgeAssetRequest, "category">;

/** The collections as they are given, everything else with what holds otherwise. */
function saidBy(request: Said, otherwise: KnowledgeAssetContent): KnowledgeAssetContent {
  return {
    label: request.label,
    description: request.description,
    knowledge_source_ids: [...new Set(request.knowledge_source_ids)],
    is_selected_by_default: request.is_selected_by_default ?? otherwise.is_selected_by_default,
    rerank_top_n: request.rerank_top_n ?? otherwise.rerank_top_n,
    chunk_reranker_threshold: request.chunk_reranker_threshold ?? otherwise.chunk_reranker_threshold,
    icon_filename: request.icon_filename ?? otherwise.icon_filename,
    fallback_strategy_tool_ids: [...request.fallback_strategy_tool_ids],
    load_page_assets: request.load_page_assets ?? otherwise.load_page_assets,
    download_disabled: request.download_disabled ?? otherwise.download_disabled,
  };
}
