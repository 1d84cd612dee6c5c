import type { Postgres, Tx } from "@assistant/kit/database/postgres.js";
import type { Write } from "@assistant/kit/database/write.js";
import { newId } from "@assistant/kit/process/id.js";
import { unknownId } from "@assistant/kit/rules/violation.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { conflict, invalid } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type {
  ContextCategory,
  CreateContextCategoryRequest,
  UpdateContextCategoryRequest,
} from "@assistant/proto/assistant/contexts/v1/context_categories.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { readable, writable } from "./contexts.js";
import { askScope, enterScope, type Owners } from "./named-scope.js";
import { presentScope } from "./scope.js";
import {
  type CategoryRow,
  findCategory,
  hasContexts,
  insertCategory,
  lockCategory,
  type NewCategory,
  removeCategory,
  updateCategory,
} from "./store/context-categories.js";
import { lockScope } from "./store/scopes.js";

export interface ContextCategoriesParts {
  db: Postgres;
  write: Write;
  owners: Owners;
}

type Rpcs = Pick<
  typeof rpcs,
  "createContextCategory" | "getContextCategory" | "updateContextCategory" | "deleteContextCategory"
>;

export function contextCategories({ db, write, owners }: ContextCategoriesParts): Handlers<Rpcs> {
  return {
    async createContextCategory(request, call) {
      const fresh = newCategory(request, call);
      const scope = await askScope(call, fresh.scopeId, owners);
      // A use case is noted before anything is created in its scope, which takes a statement more.
      const run = scope.useCase === undefined ? write.single : write;
      return run(call, rpcs.createContextCategory, request, async (tx) => {
        const row = (await enterScope(tx, scope)) ? await insertCategory(tx, fresh) : undefined;
        if (row === undefined) {
          throw invalid(unknownId("scope_id"));
        }
        return answer(row, call);
      });
    },

    async getContextCategory(request, call) {
      const row = await findCategory(db, call.caller.orgId, given(request.context_category_id));
      return answer(readable(row, call.caller), call);
    },

    updateContextCategory: (request, call) =>
      write(call, rpcs.updateContextCategory, request, async (tx) => {
        const row = await holdForUpdate(tx, request, call);
        const name = request.name === row.name ? undefined : request.name;
        const stackOrder = request.stack_order === row.stack_order ? undefined : request.stack_order;
        if (name === undefined && stackOrder === undefined) {
          return answer(row, call);
        }
        return answer(await updateCategory(tx, row, { name, stackOrder, changedBy: call.caller.principalId }), call);
      }),

    deleteContextCategory: (request, call) =>
      write(call, rpcs.deleteContextCategory, request, async (tx) => {
        const id = given(request.context_category_id);
        const row = writable(await lockCategory(tx, call.caller.orgId, id, "whole"), call.caller);
        requireMatch(call, row.version);
        if (await hasContexts(tx, row.org_id, row.id)) {
          throw conflict("state");
        }
        await removeCategory(tx, row.org_id, row.id);
        return { message: "Context category deleted" };
      }),
  };
}

export function presentCategory(row: CategoryRow): ContextCategory {
  return { id: row.id, name: row.name, stack_order: row.stack_order, scope: presentScope(row.scope_id) };
}

function answer(row: CategoryRow, call: Call): { context_category: ContextCategory } {
  call.reply.version = row.version;
  return { context_category: presentCategory(row) };
}

function newCategory(request: CreateContextCategoryRequest, { caller }: Call): NewCategory {
  return {
    id: newId("cat"),
    orgId: caller.orgId,
    scopeId: given(request.scope_id),
    name: given(request.name),
    stackOrder: request.stack_order,
    createdBy: caller.principalId,
  };
}

/**
 * Holds a category and, before it, the order of its scope where that is to change: everybody holds them in this order.
 */
async function holdForUpdate(tx: Tx, request: UpdateContextCategoryRequest, call: Call): Promise<CategoryRow> {
  const { orgId } = call.caller;
  const id = given(request.context_category_id);
  if (request.stack_order !== undefined) {
    const unheld = await findCategory(tx, orgId, id);
    if (unheld !== undefined) await lockScope(tx, orgId, unheld.scope_id);
  }
  const row = writable(await lockCategory(tx, orgId, id), call.caller);
  requireMatch(call, row.version);
  return row;
}
