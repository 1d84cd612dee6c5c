import { aboutList, PAGE_SIZE, type Pager } from "@assistant/kit/database/page.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import { given } from "@assistant/kit/wire/given.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { ContextVersion } from "@assistant/proto/assistant/contexts/v1/contexts.js";
import type { ContextsServiceService as Rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { presentContext, readable } from "./contexts.js";
import { stackPosition, versionPosition } from "./paging.js";
import { visibleTo } from "./scope.js";
import { listContexts, listContextVersions, type VersionRow } from "./store/context-lists.js";
import { findContext } from "./store/contexts.js";

export function contextLists(
  db: Postgres,
  pager: Pager,
): Handlers<Pick<typeof Rpcs, "listContexts" | "listContextVersions">> {
  return {
    async listContexts(request, call) {
      const list = aboutList(call, [request.scope_id, request.category_id, request.text]);
      const page = await listContexts(db, {
        visible: visibleTo(call.caller),
        scopeId: request.scope_id,
        categoryId: request.category_id,
        text: request.text,
        after: stackPosition(pager, request.page_token, list),
        pageSize: request.page_size ?? PAGE_SIZE,
      });
      const last = page.more ? page.rows.at(-1) : undefined;
      return {
        items: page.rows.map(presentContext),
        next_page_token: last && pager.seal([last.stack_order, last.id], list),
      };
    },

    async listContextVersions(request, call) {
      const contextId = given(request.context_id);
      const row = readable(await findContext(db, call.caller.orgId, contextId), call.caller);
      const list = aboutList(call, [row.id]);
      const page = await listContextVersions(db, {
        orgId: row.org_id,
        contextId: row.id,
        before: versionPosition(pager, request.page_token, list),
        pageSize: request.page_size ?? PAGE_SIZE,
      });
      const last = page.more ? page.rows.at(-1) : undefined;
      return { items: page.rows.map(presentVersion), next_page_token: last && pager.seal([last.version], list) };
    },
  };
}

function presentVersion(row: VersionRow): ContextVersion {
  const { version, title, category_id, context, changed_by, changed_at } = row;
  return { version, title, category_id, context, changed_by, changed_at };
}
