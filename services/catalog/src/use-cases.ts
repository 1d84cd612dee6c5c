import { isDeepStrictEqual } from "node:util";
import type { Postgres, Tx } from "@assistant/kit/database/postgres.js";
import type { Write } from "@assistant/kit/database/write.js";
import { newId } from "@assistant/kit/process/id.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { conflict } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { CatalogServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/service.js";
import type { UpdateUseCaseRequest, UseCase } from "@assistant/proto/assistant/catalog/v1/use_cases.js";
import type { Locale } from "@assistant/proto/assistant/common/v1/text.js";
import { presentKinds } from "./connector-kinds.js";
import { resolvedTexts } from "./resolved-texts.js";
import { readable, requireEditor, restorable, writable } from "./rights.js";
import {
  findUseCase,
  insertUseCase,
  lockUseCase,
  removeUseCase,
  restoreUseCase,
  type UseCaseContent,
  type UseCaseKey,
  type UseCaseRow,
  updateUseCase,
} from "./store/use-cases.js";
import { changedContent, newContent } from "./use-case-content.js";

type Rpcs = Omit<typeof rpcs, "listUseCases">;

export function useCases(db: Postgres, write: Write): Handlers<Rpcs> {
  return {
    async createUseCase(request, call) {
      requireEditor(call.caller);
      const key = { orgId: call.caller.orgId, id: newId("uc") };
      return write.single(call, rpcs.createUseCase, request, async (tx) =>
        answer(await insertUseCase(tx, key, newContent(request)), call),
      );
    },

    async getUseCase(request, call) {
      const row = readable(await findUseCase(db, keyOf(request, call)), call.caller);
      return answer(row, call, request.locale);
    },

    updateUseCase: (request, call) =>
      write(call, rpcs.updateUseCase, request, async (tx) => {
        const key = keyOf(request, call);
        const row = await holdWritable(tx, key, call);
        const content = changedContent(contentOf(row), request);
        const isSame = isDeepStrictEqual(content, contentOf(row));
        const { version } = isSame ? row : await updateUseCase(tx, key, content);
        call.reply.version = version;
        return { message: "Use case updated" };
      }),

    deleteUseCase: (request, call) =>
      write(call, rpcs.deleteUseCase, request, async (tx) => {
        const key = keyOf(request, call);
        await holdWritable(tx, key, call);
        await removeUseCase(tx, key);
        return { message: "Use case deleted" };
      }),

    restoreUseCase: (request, call) =>
      write(call, rpcs.restoreUseCase, request, async (tx) => {
        const key = keyOf(request, call);
        const row = restorable(await lockUseCase(tx, key), call.caller);
        if (row.deleted_at === null) {
          throw conflict("state");
        }
        return answer(await restoreUseCase(tx, key), call);
      }),
  };
}

export function presentUseCase(row: UseCaseRow, locale?: Locale): UseCase {
  return {
    id: row.id,
    label: row.label,
    description: row.description,
    sync_connectors: presentKinds(row.sync_connectors),
    credential_ids: [...row.credential_ids],
    sync_connectors_enabled_user_credentials: presentKinds(row.sync_connectors_enabled_user_credentials),
    resolved: resolvedTexts(row, locale),
  };
}

function answer(row: UseCaseRow, call: Call, locale?: Locale): { use_case: UseCase } {
  call.reply.version = row.version;
  return { use_case: presentUseCase(row, locale) };
}

function keyOf(request: Pick<UpdateUseCaseRequest, "use_case_id">, { caller }: Call): UseCaseKey {
  return { orgId: caller.orgId, id: given(request.use_case_id) };
}

async function holdWritable(tx: Tx, key: UseCaseKey, call: Call): Promise<UseCaseRow> {
  const row = writable(await lockUseCase(tx, key), call.caller);
  requireMatch(call, row.version);
  return row;
}

function contentOf(row: UseCaseRow): UseCaseContent {
  const { label, description, sync_connectors, credential_ids, sync_connectors_enabled_user_credentials } = row;
  return { label, description, sync_connectors, credential_ids, sync_connectors_enabled_user_credentials };
}
