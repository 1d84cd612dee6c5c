import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Tx } from "@assistant/kit/database/postgres.js";
import type { Write } from "@assistant/kit/database/write.js";
import { unknownId } from "@assistant/kit/rules/violation.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { denied, invalid } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { isKnown } from "./category-choice.js";
import { requireMembers } from "./listed.js";
import { accessTo } from "./scope.js";
import { lockCategory } from "./store/context-categories.js";
import { findMembers, packContexts } from "./store/context-order.js";

export function contextOrder(write: Write): Handlers<Pick<typeof rpcs, "reorderContexts">> {
  return {
    reorderContexts: (request, call) =>
      write(call, rpcs.reorderContexts, request, async (tx) => {
        const { caller } = call;
        const categoryId = await holdWritable(tx, given(request.category_id), call);
        const members = await findMembers(tx, caller.orgId, categoryId, request.context_ids);
        requireMembers("context_ids", request.context_ids, readableIds(members, caller));
        await packContexts(tx, caller.orgId, categoryId, request.context_ids);
        return { message: "Contexts reordered" };
      }),
  };
}

async function holdWritable(tx: Tx, categoryId: string, { caller }: Call): Promise<string> {
  const category = await lockCategory(tx, caller.orgId, categoryId);
  if (!isKnown(caller, category)) {
    throw invalid(unknownId("category_id"));
  }
  if (accessTo(caller, category.scope_id) !== "write") {
    throw denied(["category_id"]);
  }
  return category.id;
}

function readableIds(members: readonly { id: string; scope_id: string }[], caller: Caller): ReadonlySet<string> {
  const readable = members.filter((member) => accessTo(caller, member.scope_id) !== "none");
  return new Set(readable.map((member) => member.id));
}
