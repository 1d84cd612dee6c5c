import { isDeepStrictEqual } from "node:util";
import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { newId } from "@assistant/kit/process/id.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { conflict, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { ManagedKnowledgeAsset } from "@assistant/proto/assistant/catalog/v1/knowledge_assets.js";
import { KnowledgeServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/knowledge_service.js";
import {
  findSeenAssets,
  insertKnowledgeAsset,
  type KnowledgeAssetKey,
  type KnowledgeAssetRow,
  lockKnowledgeAsset,
  removeKnowledgeAsset,
  restoreKnowledgeAsset,
  type SeenAssetRow,
  updateKnowledgeAsset,
} from "../store/knowledge-assets.js";
import { findSourcesInSight } from "../store/knowledge-visibility.js";
import { assetContentOf, changedAssetContent, namesSources, newAssetContent, requireSources } from "./asset-content.js";
import { readCategory } from "./asset-words.js";
import type { KnowledgeParts } from "./parts.js";
import { presentAssets } from "./presenting.js";
import { requireMaintainer, restorableAsset, writableAsset } from "./rights.js";
import { visibleAssets } from "./visibility.js";

type Writes = Pick<
  typeof rpcs,
  "createKnowledgeAsset" | "updateKnowledgeAsset" | "deleteKnowledgeAsset" | "restoreKnowledgeAsset"
>;

export function knowledgeAssets(parts: KnowledgeParts): Handlers<Writes & Pick<typeof rpcs, "getKnowledgeAsset">> {
  const { db } = parts;
  return {
    async getKnowledgeAsset(request, call) {
      const { caller } = call;
      const [row] = await findSeenAssets(db, visibleAssets(caller), [given(request.knowledge_asset_id)]);
      const isHidden = row?.deleted_at !== null && !(request.include_deleted === true && caller.role === "admin");
      if (row === undefined || row.category !== "managed" || isHidden) {
        throw missing();
      }
      return answer(db, row, call);
    },
    ...writers(parts),
  };
}

function writers({ write }: KnowledgeParts): Handlers<Writes> {
  return {
    createKnowledgeAsset: async (request, call) => {
      const { caller } = call;
      const category = readCategory(request.category) ?? "managed";
      requireMaintainer(caller, category);
      const content = newAssetContent(request);
      const fresh = { orgId: caller.orgId, id: newId("ka"), category, createdBy: caller.principalId };
      return write(call, rpcs.createKnowledgeAsset, request, async (tx) => {
        await requireSources(tx, visibleAssets(caller), content.knowledge_source_ids);
        return answerChanged(tx, await insertKnowledgeAsset(tx, fresh, content), call);
      });
    },

    updateKnowledgeAsset: (request, call) =>
      write(call, rpcs.updateKnowledgeAsset, request, async (tx) => {
        const key = keyOf(request, call);
        const row = await holdWritable(tx, key, call);
        const content = changedAssetContent(row, request);
        if (namesSources(request)) {
          await requireSources(tx, visibleAssets(call.caller), content.knowledge_source_ids);
        }
        const isSame = isDeepStrictEqual(content, assetContentOf(row));
        return answerChanged(tx, isSame ? row : await updateKnowledgeAsset(tx, key, content), call);
      }),

    deleteKnowledgeAsset: (request, call) =>
      write(call, rpcs.deleteKnowledgeAsset, request, async (tx) => {
        const key = keyOf(request, call);
        await holdWritable(tx, key, call);
        await removeKnowledgeAsset(tx, key);
        return { message: "Knowledge asset deleted" };
      }),

    restoreKnowledgeAsset: (request, call) =>
      write(call, rpcs.restoreKnowledgeAsset, request, async (tx) => {
        const key = keyOf(request, call);
        const locked = await lockKnowledgeAsset(tx, key);
        const row = restorableAsset(locked, call.caller, await isSeen(tx, key, call));
        if (row.deleted_at === null) {
          throw conflict("state");
        }
        return answerChanged(tx, await restoreKnowledgeAsset(tx, key), call);
      }),
  };
}

async function holdWritable(tx: Tx, key: KnowledgeAssetKey, call: Call): Promise<KnowledgeAssetRow> {
  const locked = await lockKnowledgeAsset(tx, key);
  const row = writableAsset(locked, call.caller, await isSeen(tx, key, call));
  requireMatch(call, row.version);
  return row;
}

async function isSeen(tx: Tx, { id }: KnowledgeAssetKey, { caller }: Call): Promise<boolean> {
  const [seen] = await findSeenAssets(tx, visibleAssets(caller), [id]);
  return seen !== undefined && seen.deleted_at === null;
}

/** Whoever changed an asset is shown it, also without a grant on any of its sources. */
async function answerChanged(tx: Tx, row: KnowledgeAssetRow, call: Call) {
  const visible_source_ids = await findSourcesInSight(tx, visibleAssets(call.caller), row.knowledge_source_ids);
  return answer(tx, { ...row, visible_source_ids }, call);
}

async function answer(sql: Sql, row: SeenAssetRow, call: Call): Promise<{ knowledge_asset: ManagedKnowledgeAsset }> {
  const [asset] = await presentAssets(sql, call.caller, [row]);
  call.reply.version = row.version;
  return { knowledge_asset: given(asset) };
}

function keyOf(request: { knowledge_asset_id?: string | undefined }, { caller }: Call): KnowledgeAssetKey {
  return { orgId: caller.orgId, id: given(request.knowledge_asset_id) };
}
