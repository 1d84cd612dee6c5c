import type { Peer } from "@assistant/kit/dial.js";
import type { Pager } from "@assistant/kit/page.js";
import type { Postgres } from "@assistant/kit/postgres.js";
import type { Handlers } from "@assistant/kit/rpc.js";
import type { Write } from "@assistant/kit/write.js";
import type { ContextsServiceService } from "@assistant/proto/assistant/contexts/v1/service.js";
import { contextCategories } from "./context-categories.js";
import { contextCategoryLists } from "./context-category-lists.js";
import { contextCategoryOrder } from "./context-category-order.js";
import { contextLists } from "./context-lists.js";
import { contextOrder } from "./context-order.js";
import { contexts } from "./contexts.js";
import { resolvedContexts } from "./resolve.js";

export interface ContextsServiceParts {
  db: Postgres;
  write: Write;
  pager: Pager;
  identity: Peer;
}

export function contextsService(parts: ContextsServiceParts): Handlers<ContextsServiceService> {
  const { db, write, pager, identity } = parts;
  return {
    ...contexts(parts),
    ...contextLists(db, pager),
    ...contextOrder(write),
    ...resolvedContexts(db, pager),
    ...contextCategories(parts),
    ...contextCategoryLists(db, pager),
    ...contextCategoryOrder(write, identity),
  };
}
