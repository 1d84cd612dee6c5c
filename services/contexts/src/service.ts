import type { Pager } from "@assistant/kit/database/page.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Write } from "@assistant/kit/database/write.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { ContextsServiceService } from "@assistant/proto/assistant/contexts/v1/service.js";
import { contextCategories } from "./context-categories.js";
import { contextCategoryLists } from "./context-category-lists.js";
import { contextCategoryOrder } from "./context-category-order.js";
import { contextLists } from "./context-lists.js";
import { contextOrder } from "./context-order.js";
import { contexts } from "./contexts.js";
import type { Owners } from "./named-scope.js";
import { resolvedContexts } from "./resolve.js";

export interface ContextsServiceParts {
  db: Postgres;
  write: Write;
  pager: Pager;
  owners: Owners;
}

export function contextsService(parts: ContextsServiceParts): Handlers<ContextsServiceService> {
  const { db, write, pager, owners } = parts;
  return {
    ...contexts(parts),
    ...contextLists(db, pager),
    ...contextOrder(write),
    ...resolvedContexts(db, pager, owners.catalog),
    ...contextCategories(parts),
    ...contextCategoryLists(db, pager),
    ...contextCategoryOrder(write, owners),
  };
}
