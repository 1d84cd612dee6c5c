import type { Pager } from "@assistant/kit/database/page.js";
import type { Postgres, Tx } from "@assistant/kit/database/postgres.js";
import type { Write } from "@assistant/kit/database/write.js";
import { fieldRequired } from "@assistant/kit/rules/violation.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { invalid, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { GuidedFieldsServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/guided_fields_service.js";
import { findFieldIds } from "../store/guided-field-attachments.js";
import type { Owner } from "../store/guided-fields.js";
import { createField } from "./field-creation.js";
import { listOwnFields } from "./field-lists.js";
import { orderFields } from "./field-order.js";
import { changeField, deleteField, getField } from "./fields.js";
import { renderFields } from "./rendering.js";

export interface GuidedFieldsParts {
  db: Postgres;
  write: Write;
  pager: Pager;
}

export function guidedFields(parts: GuidedFieldsParts): Handlers<typeof rpcs> {
  return { ...ofUseCases(parts), ...ofKnowledgeAssets(parts) };
}

type UseCaseRpc = Extract<keyof typeof rpcs, `${string}UseCase${string}`>;
type KnowledgeAssetRpc = Extract<keyof typeof rpcs, `${string}KnowledgeAsset${string}`>;

function ofUseCases(parts: GuidedFieldsParts): Handlers<Pick<typeof rpcs, UseCaseRpc>> {
  const { db, write } = parts;
  const owned = <Q extends { use_case_id?: string | undefined }>(request: Q, call: Call) => {
    const owner: Owner = { orgId: call.caller.orgId, kind: "use_case", id: given(request.use_case_id) };
    return { request, call, owner };
  };
  return {
    createUseCaseField: (request, call) =>
      createField(write, { rpc: rpcs.createUseCaseField, ...owned(request, call) }),
    listUseCaseFields: (request, call) => listOwnFields(parts, request, call, owned(request, call).owner),
    getUseCaseField: (request, call) => getField(db, call, owned(request, call).owner, given(request.field_id)),
    updateUseCaseField: (request, call) =>
      changeField(write, { rpc: rpcs.updateUseCaseField, ...owned(request, call) }),
    deleteUseCaseField: (request, call) =>
      deleteField(write, { rpc: rpcs.deleteUseCaseField, ...owned(request, call) }, async () =>
        given(request.field_id),
      ),
    reorderUseCaseFields: (request, call) =>
      orderFields(write, { rpc: rpcs.reorderUseCaseFields, ...owned(request, call) }),
    renderUseCaseFields: (request, call) => renderFields(db, request, call, owned(request, call).owner),
  };
}

function ofKnowledgeAssets(parts: GuidedFieldsParts): Handlers<Pick<typeof rpcs, KnowledgeAssetRpc>> {
  const { db, write } = parts;
  const owned = <Q extends { knowledge_asset_id?: string | undefined }>(request: Q, call: Call) => {
    const id = given(request.knowledge_asset_id);
    const owner: Owner = { orgId: call.caller.orgId, kind: "knowledge_asset", id };
    return { request, call, owner };
  };
  return {
    createKnowledgeAssetField: (request, call) =>
      createField(write, { rpc: rpcs.createKnowledgeAssetField, ...owned(request, call) }),
    listKnowledgeAssetFields: (request, call) => listOwnFields(parts, request, call, owned(request, call).owner),
    getKnowledgeAssetField: (request, call) => getField(db, call, owned(request, call).owner, given(request.field_id)),
    updateKnowledgeAssetField: (request, call) =>
      changeField(write, { rpc: rpcs.updateKnowledgeAssetField, ...owned(request, call) }),
    deleteKnowledgeAssetField: (request, call) =>
      deleteField(write, { rpc: rpcs.deleteKnowledgeAssetField, ...owned(request, call) }, async () =>
        given(request.field_id),
      ),
    reorderKnowledgeAssetFields: (request, call) =>
      orderFields(write, { rpc: rpcs.reorderKnowledgeAssetFields, ...owned(request, call) }),
    deleteChosenKnowledgeAssetField(request, call) {
      const asked = { rpc: rpcs.deleteChosenKnowledgeAssetField, ...owned(request, call) };
      return deleteField(write, asked, (tx) => chosenField(tx, asked.owner, request.guided_search_field_id));
    },
  };
}

/** The field that is named, or the only one of an owner that is held. */
async function chosenField(tx: Tx, owner: Owner, named: string | undefined): Promise<string> {
  if (named !== undefined) {
    return named;
  }
  const [only, ...others] = (await findFieldIds(tx, owner, [owner.id])).get(owner.id) ?? [];
  if (only === undefined) {
    throw missing();
  }
  if (others.length > 0) {
    throw invalid(fieldRequired(["guided_search_field_id"]));
  }
  return only;
}
