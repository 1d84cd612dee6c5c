import type { Caller } from "@assistant/kit/caller/caller.js";
import { newId } from "@assistant/kit/process/id.js";
import type {
  CreateKnowledgeAssetRequest,
  ManagedKnowledgeAsset,
  UpdateKnowledgeAssetRequest,
} from "@assistant/proto/assistant/catalog/v1/knowledge_assets.js";
import { KnowledgeServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/knowledge_service.js";
import type { Beside, Person, Platform } from "./platform.js";
import { present } from "./verbs.js";

const NOTHING = { label: {}, description: {}, knowledge_source_ids: [], fallback_strategy_tool_ids: [] };

/** A request for a new asset as the gateway sends it, with a label. */
export function assetCreation(about: Partial<CreateKnowledgeAssetRequest> = {}): CreateKnowledgeAssetRequest {
  return { ...NOTHING, label: { en: "Contract archive" }, ...about };
}

/** A request for a change as the gateway sends it: the mask names what is given. */
export function assetChange(
  knowledge_asset_id: string,
  about: Partial<UpdateKnowledgeAssetRequest>,
): UpdateKnowledgeAssetRequest {
  return { ...NOTHING, knowledge_asset_id, update_mask: Object.keys(about), ...about };
}

export async function createAsset(
  person: Person,
  about: Partial<CreateKnowledgeAssetRequest> = {},
  beside: Beside = {},
): Promise<ManagedKnowledgeAsset> {
  return present((await person.ask(rpcs.createKnowledgeAsset, assetCreation(about), beside)).knowledge_asset);
}

/** Creates a source and answers its id. */
export async function createSource(person: Person, name = "Archive"): Promise<string> {
  return present((await person.ask(rpcs.createKnowledgeSource, { name })).knowledge_source).id;
}

export async function grant(person: Person, knowledge_source_id: string, principal_id: string): Promise<void> {
  await person.ask(rpcs.createKnowledgeGrant, { knowledge_source_id, principal_id });
}

/** Ids of the assets that a person sees in the list. */
export async function seenBy(person: Person): Promise<string[]> {
  return (await person.ask(rpcs.listKnowledgeAssets, { page_size: 200 })).items.map(({ id }) => id);
}

/** Somebody of an org in some groups. */
export function colleague(platform: Platform, orgId: string, about: Partial<Caller> = {}): Person {
  return platform.person({ orgId, ...about });
}

/** A group that identity knows of. */
export function newGroup(platform: Platform, orgId: string): string {
  const id = newId("grp");
  platform.addPrincipal(id, orgId);
  return id;
}
