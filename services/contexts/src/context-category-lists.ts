import { aboutList, PAGE_SIZE, type Pager } from "@assistant/kit/database/page.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import { given } from "@assistant/kit/wire/given.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { ContextsServiceService as Rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { presentCategory } from "./context-categories.js";
import { readable } from "./contexts.js";
import { stackPosition, versionPosition } from "./paging.js";
import { visibleTo } from "./scope.js";
import { listCategories, listCategoryVersions } from "./store/category-lists.js";
import { findCategory } from "./store/context-categories.js";

type Rpc = "listContextCategories" | "listContextCategoryVersions";

export function contextCategoryLists(db: Postgres, pager: Pager): Handlers<Pick<typeof Rpcs, Rpc>> {
  return {
    async listContextCategories(request, call) {
      const list = aboutList(call, [request.scope_id, request.text]);
      const pageSize = request.page_size ?? PAGE_SIZE;
      const rows = await listCategories(db, {
        visible: visibleTo(call.caller),
        scopeId: request.scope_id,
        text: request.text,
        after: stackPosition(pager, request.page_token, list),
        limit: pageSize + 1,
      });
      const page = rows.slice(0, pageSize);
      const last = rows.length > pageSize ? page.at(-1) : undefined;
      return {
        items: page.map(presentCategory),
        next_page_token: last && pager.seal([last.stack_order, last.id], list),
      };
    },

    async listContextCategoryVersions(request, call) {
      const { caller } = call;
      const category = readable(await findCategory(db, caller.orgId, given(request.context_category_id)), caller);
      const list = aboutList(call, [category.id]);
      const pageSize = request.page_size ?? PAGE_SIZE;
      const rows = await listCategoryVersions(db, {
        orgId: category.org_id,
        categoryId: category.id,
        before: versionPosition(pager, request.page_token, list),
        limit: pageSize + 1,
      });
      const page = rows.slice(0, pageSize);
      const last = rows.length > pageSize ? page.at(-1) : undefined;
      return { items: page, next_page_token: last && pager.seal([last.version], list) };
    },
  };
}
