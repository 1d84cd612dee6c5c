import type { Tx } from "@assistant/kit/database/postgres.js";
import type { Write } from "@assistant/kit/database/write.js";
import { newId } from "@assistant/kit/process/id.js";
import { unknownId } from "@assistant/kit/rules/violation.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { internal, invalid } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import type { CreateContextRequest, CreateContextResponse } from "@assistant/proto/assistant/contexts/v1/contexts.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { isKnown, unfit } from "./category-choice.js";
import { askScope, enterScope, type NamedScope, type Owners, refuseReaders } from "./named-scope.js";
import { chainOf } from "./scope.js";
import { findCategory } from "./store/context-categories.js";
import { type ContextRow, insertContext, type NewContext } from "./store/contexts.js";
import { openScope } from "./store/scopes.js";

export type ContextCreation = (
  request: CreateContextRequest,
  call: Call,
  answer: (row: ContextRow) => CreateContextResponse,
) => Promise<CreateContextResponse>;

/**
 * Creates contexts, as a rule in one statement. Only where that places nothing, since the scope is new or something is
 * wrong, a transaction looks closer.
 */
export function contextCreation(write: Write, owners: Owners): ContextCreation {
  return async (request, call, answer) => {
    const fresh = newContext(request, call);
    const scope = await askScope(call, fresh.scopeId, owners);
    const effect = (insert: Insert) => async (tx: Tx) => answer(await insert({ tx, fresh, scope, call }));
    try {
      return await write.single(call, rpcs.createContext, request, effect(insertAtOnce));
    } catch (error) {
      if (error !== nothingPlaced) throw error;
    }
    return write(call, rpcs.createContext, request, effect(insertStepwise));
  };
}

interface Insertion {
  tx: Tx;
  fresh: NewContext;
  scope: NamedScope;
  call: Call;
}

type Insert = (insertion: Insertion) => Promise<ContextRow>;

const nothingPlaced = new Error("neither category nor scope took the context");

async function insertAtOnce({ tx, fresh, scope }: Insertion): Promise<ContextRow> {
  refuseReaders(scope.access);
  const row = scope.access === "write" ? await insertContext(tx, fresh) : undefined;
  if (row === undefined) throw nothingPlaced;
  return row;
}

async function insertStepwise({ tx, fresh, scope, call }: Insertion): Promise<ContextRow> {
  const { orgId, scopeId, categoryId } = fresh;
  const isOpen = (await enterScope(tx, scope)) && (await openScope(tx, orgId, scopeId));
  const row = isOpen ? await insertContext(tx, fresh) : undefined;
  if (row !== undefined) return row;
  const category = await findCategory(tx, orgId, categoryId);
  if (isOpen) {
    const violation = unfit(call.caller, category, scopeId);
    throw violation === undefined ? internal(new Error("a fitting category took no context")) : invalid(violation);
  }
  // Whether the category fits to a scope that does not exist is no question.
  const unknown = isKnown(call.caller, category) ? [] : [unknownId("category_id")];
  throw invalid(...unknown, unknownId("scope_id"));
}

function newContext(request: CreateContextRequest, { caller }: Call): NewContext {
  const scopeId = given(request.scope_id);
  return {
    id: newId("ctx"),
    orgId: caller.orgId,
    scopeId,
    categoryId: given(request.category_id),
    title: given(request.title),
    context: given(request.context),
    chain: chainOf(caller, scopeId),
    createdBy: caller.principalId,
  };
}
