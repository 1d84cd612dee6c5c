import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Postgres, Tx } from "@assistant/kit/database/postgres.js";
import type { Write } from "@assistant/kit/database/write.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { conflict, denied, invalid, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { Context, UpdateContextRequest } from "@assistant/proto/assistant/contexts/v1/contexts.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { unfit } from "./category-choice.js";
import { contextCreation } from "./context-creation.js";
import type { Owners } from "./named-scope.js";
import { accessTo, presentScope } from "./scope.js";
import { lockCategory } from "./store/context-categories.js";
import {
  type ContextRow,
  contextFinder,
  findContext,
  lockContext,
  type Place,
  removeContext,
  updateContext,
} from "./store/contexts.js";

export interface ContextsParts {
  db: Postgres;
  write: Write;
  owners: Owners;
}

type Rpcs = Pick<typeof rpcs, "createContext" | "getContext" | "updateContext" | "deleteContext">;

export function contexts({ db, write, owners }: ContextsParts): Handlers<Rpcs> {
  const find = contextFinder(db);
  const create = contextCreation(write, owners);
  return {
    createContext: (request, call) => create(request, call, (row) => answer(row, call)),

    async getContext(request, call) {
      return answer(readable(await find(call.caller.orgId, given(request.context_id)), call.caller), call);
    },

    updateContext: (request, call) =>
      write(call, rpcs.updateContext, request, async (tx) => {
        const { row, place } = await holdForUpdate(tx, request, call);
        const title = request.title === row.title ? undefined : request.title;
        const context = request.context === row.context ? undefined : request.context;
        if (title === undefined && context === undefined && place === undefined) {
          return answer(row, call);
        }
        const change = { title, context, place, changedBy: call.caller.principalId };
        return answer(await updateContext(tx, row, change), call);
      }),

    deleteContext: (request, call) =>
      write(call, rpcs.deleteContext, request, async (tx) => {
        const row = writable(await lockContext(tx, call.caller.orgId, given(request.context_id)), call.caller);
        requireMatch(call, row.version);
        await removeContext(tx, row.org_id, row.id);
        return { message: "Context deleted" };
      }),
  };
}

/** The row, for a caller who may read it; nobody else learns that it exists. */
export function readable<Row extends { scope_id: string }>(row: Row | undefined, caller: Caller): Row {
  if (row === undefined || accessTo(caller, row.scope_id) === "none") {
    throw missing();
  }
  return row;
}

/** The row, for a caller who may write it. */
export function writable<Row extends { scope_id: string }>(row: Row | undefined, caller: Caller): Row {
  const visible = readable(row, caller);
  if (accessTo(caller, visible.scope_id) !== "write") {
    throw denied();
  }
  return visible;
}

export function presentContext(row: ContextRow): Context {
  return {
    id: row.id,
    title: row.title,
    category_id: row.category_id,
    context: row.context,
    scope: presentScope(row.scope_id),
    stack_order: row.stack_order,
  };
}

function answer(row: ContextRow, call: Call): { context: Context } {
  call.reply.version = row.version;
  return { context: presentContext(row) };
}

/**
 * Holds a context and, before it, the category that it is to be placed in: everybody holds them in this order, so that
 * nobody waits in a circle. What is wrong with the request comes up in the order of statuses.
 */
async function holdForUpdate(
  tx: Tx,
  request: UpdateContextRequest,
  call: Call,
): Promise<{ row: ContextRow; place: Place | undefined }> {
  const { caller } = call;
  const id = given(request.context_id);
  const categoryId = await placingCategoryId(tx, request, caller);
  const category = categoryId === undefined ? undefined : await lockCategory(tx, caller.orgId, categoryId);
  const row = writable(await lockContext(tx, caller.orgId, id), caller);
  requireMatch(call, row.version);
  if (categoryId === undefined) {
    return { row, place: undefined };
  }
  if (categoryId === row.category_id) {
    const stays = request.stack_order === undefined || request.stack_order === row.stack_order;
    return { row, place: stays ? undefined : { categoryId, stackOrder: request.stack_order } };
  }
  if (request.category_id === undefined) {
    // Somebody moved it to another category between the look and the hold; a position there is not what was meant.
    throw conflict("state");
  }
  const violation = unfit(caller, category, row.scope_id);
  if (violation !== undefined) {
    throw invalid(violation);
  }
  return { row, place: { categoryId, stackOrder: request.stack_order } };
}

/** The category in which the request wants a position; undefined: it wants none. */
async function placingCategoryId(tx: Tx, request: UpdateContextRequest, caller: Caller): Promise<string | undefined> {
  if (request.category_id !== undefined || request.stack_order === undefined) {
    return request.category_id;
  }
  return (await findContext(tx, caller.orgId, given(request.context_id)))?.category_id;
}
