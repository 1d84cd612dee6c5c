import type { Pager } from "@assistant/kit/database/page.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Write } from "@assistant/kit/database/write.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { CatalogServiceService } from "@assistant/proto/assistant/catalog/v1/service.js";
import { useCaseLists } from "./use-case-lists.js";
import { useCases } from "./use-cases.js";

export interface CatalogServiceParts {
  db: Postgres;
  write: Write;
  pager: Pager;
}

export function catalogService({ db, write, pager }: CatalogServiceParts): Handlers<CatalogServiceService> {
  return { ...useCases(db, write), ...useCaseLists(db, pager) };
}
