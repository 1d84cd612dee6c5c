import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Tx } from "@assistant/kit/database/postgres.js";
import { conflict, denied, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { Model } from "@assistant/proto/assistant/identity/v1/models.js";
import { SettingsServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/settings_service.js";
import { pageOf } from "../paging.js";
import type { NounParts } from "../parts.js";
import { requireAdmin } from "../rights.js";
import {
  countModels,
  insertModel,
  listModels,
  lockModel,
  lockModels,
  type ModelRow,
  removeModel,
  setModelEnabled,
  updateModel,
} from "../store/models.js";
import type { Slice } from "../store/order.js";

type Rpcs = Pick<typeof rpcs, "listModels" | "putModel" | "deleteModel" | "enableModel">;

export function models({ db, write, pager }: NounParts): Handlers<Rpcs> {
  return {
    listModels: async (request, call) => {
      const { orgId } = call.caller;
      const { rows, next_page_token } = await pageOf(pager, request, call, {
        place: (row) => row.place,
        find: (slice: Slice<number>) => listModels(db, orgId, slice),
      });
      return { items: rows.map(present), next_page_token };
    },

    putModel: async (request, call) => {
      requirePlatformAdmin(call.caller);
      const [id, name] = [given(request.model_id), given(request.name)];
      return write(call, rpcs.putModel, request, async (tx) => {
        await putModel(tx, call.caller.orgId, { id, name });
        return { model: present(found(await lockModel(tx, call.caller.orgId, id))) };
      });
    },

    deleteModel: async (request, call) => {
      requirePlatformAdmin(call.caller);
      return write(call, rpcs.deleteModel, request, async (tx) => {
        await lockModels(tx);
        if (!(await removeModel(tx, given(request.model_id)))) {
          throw missing();
        }
        return { message: "Model deleted" };
      });
    },

    enableModel: async (request, call) => {
      const { orgId } = call.caller;
      const [id, enabled] = [given(request.model_id), given(request.enabled)];
      return write(call, rpcs.enableModel, request, async (tx) => {
        const row = found(await lockModel(tx, orgId, id));
        requireAdmin(call.caller);
        await setModelEnabled(tx, orgId, id, enabled);
        return { model: present({ ...row, enabled }) };
      });
    },
  };
}

/** Whoever manages the platform itself. */
export function requirePlatformAdmin({ platformAdmin }: Caller): void {
  if (!platformAdmin) {
    throw denied();
  }
}

/** A list to choose from, not a registry. */
const MODELS_MAX = 200;

async function putModel(tx: Tx, orgId: string, { id, name }: { id: string; name: string }): Promise<void> {
  await lockModels(tx);
  const there = await lockModel(tx, orgId, id);
  if (there === undefined) {
    if ((await countModels(tx)) >= MODELS_MAX) {
      throw conflict("state");
    }
    await insertModel(tx, id, name);
  } else if (there.name !== name) {
    await updateModel(tx, id, name);
  }
}

function found(row: ModelRow | undefined): ModelRow {
  if (row === undefined) {
    throw missing();
  }
  return row;
}

function present({ id, name, enabled }: ModelRow): Model {
  return { id, name, enabled };
}
