import type { Pager } from "@assistant/kit/database/page.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Write } from "@assistant/kit/database/write.js";
import type { Peer } from "@assistant/kit/wire/dial.js";
import { type Served, served } from "@assistant/kit/wire/serve.js";
import { GuidedFieldsServiceService } from "@assistant/proto/assistant/catalog/v1/guided_fields_service.js";
import { KnowledgeServiceService } from "@assistant/proto/assistant/catalog/v1/knowledge_service.js";
import { CatalogServiceService } from "@assistant/proto/assistant/catalog/v1/service.js";
import { UseCaseContentServiceService } from "@assistant/proto/assistant/catalog/v1/use_case_content_service.js";
import { guidedFields } from "./guided-fields/guided-fields.js";
import { knowledgeService } from "./knowledge/service.js";
import { useCaseAssets } from "./use-case-assets.js";
import { useCaseLists } from "./use-case-lists.js";
import { useCaseTranslations } from "./use-case-translations.js";
import { useCases } from "./use-cases.js";

export interface CatalogServiceParts {
  db: Postgres;
  write: Write;
  pager: Pager;
  identity: Peer;
}

/** All that the catalog serves. */
export function catalogServices(parts: CatalogServiceParts): Served[] {
  const { db, write, pager } = parts;
  return [
    served(CatalogServiceService, { ...useCases(db, write), ...useCaseLists(db, pager) }),
    served(UseCaseContentServiceService, { ...useCaseAssets(db, write), ...useCaseTranslations(db) }),
    served(GuidedFieldsServiceService, guidedFields(parts)),
    served(KnowledgeServiceService, knowledgeService(parts)),
  ];
}
