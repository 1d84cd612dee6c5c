import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Postgres, Sql, Tx } from "@assistant/kit/database/postgres.js";
import type { Write } from "@assistant/kit/database/write.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { conflict, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { AttachKnowledgeAssetRequest } from "@assistant/proto/assistant/catalog/v1/use_case_assets.js";
import { UseCaseContentServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/use_case_content_service.js";
import { presentSummaries } from "./knowledge/presenting.js";
import { findVisibleAssets } from "./knowledge/visibility.js";
import { readable, requireEditor } from "./rights.js";
import { attachAsset, detachAsset, listAttachedAssets } from "./store/use-case-assets.js";
import { findUseCase, lockUseCase, type UseCaseKey } from "./store/use-cases.js";

type Rpcs = Omit<typeof rpcs, "listMissingTranslations">;

export function useCaseAssets(db: Postgres, write: Write): Handlers<Rpcs> {
  return {
    async listAttachedKnowledgeAssets(request, { caller }) {
      const key = { orgId: caller.orgId, id: given(request.use_case_id) };
      readable(await findUseCase(db, key), caller);
      const rows = await findVisibleAssets(db, caller, await listAttachedAssets(db, key));
      return { items: await presentSummaries(db, caller, rows) };
    },

    attachKnowledgeAsset: (request, call) =>
      write(call, rpcs.attachKnowledgeAsset, request, async (tx) => {
        const { key, assetId, version } = await hold(tx, request, call);
        const attached = await listAttachedAssets(tx, key);
        if (!attached.includes(assetId) && attached.length >= ATTACHED_MAX) {
          throw conflict("state");
        }
        call.reply.version = (await attachAsset(tx, key, { assetId, position: request.position })) ?? version;
        return { message: "Knowledge asset attached" };
      }),

    detachKnowledgeAsset: (request, call) =>
      write(call, rpcs.detachKnowledgeAsset, request, async (tx) => {
        const { key, assetId } = await hold(tx, request, call);
        if ((await detachAsset(tx, key, assetId)) === undefined) {
          throw missing();
        }
        return { message: "Knowledge asset detached" };
      }),
  };
}

const ATTACHED_MAX = 200;

interface Held {
  key: UseCaseKey;
  assetId: string;
  version: number;
}

/**
 * Holds the use case that the caller may change, and finds the asset. What they may not know of is missing, whatever
 * they may do.
 */
async function hold(tx: Tx, request: Omit<AttachKnowledgeAssetRequest, "position">, call: Call): Promise<Held> {
  const { caller } = call;
  const key = { orgId: caller.orgId, id: given(request.use_case_id) };
  const { version } = readable(await lockUseCase(tx, key), caller);
  const assetId = given(request.knowledge_asset_id);
  await requireAsset(tx, caller, assetId);
  requireEditor(caller);
  requireMatch(call, version);
  return { key, assetId, version };
}

async function requireAsset(sql: Sql, caller: Caller, assetId: string): Promise<void> {
  if ((await findVisibleAssets(sql, caller, [assetId])).length === 0) {
    throw missing();
  }
}
