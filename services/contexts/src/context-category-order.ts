import type { Write } from "@assistant/kit/database/write.js";
import { unknownId } from "@assistant/kit/rules/violation.js";
import { invalid } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { requireMembers } from "./listed.js";
import { askScope, enterScope, type Owners } from "./named-scope.js";
import { findMemberIds, packCategories } from "./store/category-order.js";
import { lockScope } from "./store/scopes.js";

export function contextCategoryOrder(
  write: Write,
  owners: Owners,
): Handlers<Pick<typeof rpcs, "reorderContextCategories">> {
  return {
    async reorderContextCategories(request, call) {
      const { orgId } = call.caller;
      const scopeId = given(request.scope_id);
      const ids = request.context_category_ids;
      const scope = await askScope(call, scopeId, owners);
      return write(call, rpcs.reorderContextCategories, request, async (tx) => {
        if (!(await enterScope(tx, scope))) {
          throw invalid(unknownId("scope_id"));
        }
        await lockScope(tx, orgId, scopeId);
        requireMembers("context_category_ids", ids, new Set(await findMemberIds(tx, orgId, scopeId, ids)));
        await packCategories(tx, orgId, scopeId, ids);
        return { message: "Context categories reordered" };
      });
    },
  };
}
