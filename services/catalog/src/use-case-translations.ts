import type { Postgres } from "@assistant/kit/database/postgres.js";
import { enumDescriptor, wordOf } from "@assistant/kit/rules/descriptor.js";
import { given } from "@assistant/kit/wire/given.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { UseCaseContentServiceService as Rpcs } from "@assistant/proto/assistant/catalog/v1/use_case_content_service.js";
import type { MissingText, TextOwner } from "@assistant/proto/assistant/catalog/v1/use_case_translations.js";
import { localeFromJSON } from "@assistant/proto/assistant/common/v1/text.js";
import { visibleAssets } from "./knowledge/visibility.js";
import { readable } from "./rights.js";
import { listMissingTexts, type MissingTextRow } from "./store/use-case-translations.js";
import { findUseCase } from "./store/use-cases.js";

export function useCaseTranslations(db: Postgres): Handlers<Pick<typeof Rpcs, "listMissingTranslations">> {
  return {
    async listMissingTranslations(request, { caller }) {
      const key = { orgId: caller.orgId, id: given(request.use_case_id) };
      readable(await findUseCase(db, key), caller);
      const locales = [...LOCALES.values()];
      const rows = await listMissingTexts(db, key, { locales, sight: visibleAssets(caller) });
      const items = [...LOCALES].map(([name, word]) => ({
        locale: localeFromJSON(name),
        missing: rows.filter((row) => row.locale === word).map(presentMissing),
      }));
      return { items };
    },
  };
}

/** Words by the names that messages have for them, in the order of both. */
const LOCALES: ReadonlyMap<string, string> = new Map(
  enumDescriptor("assistant.common.v1.Locale")
    .values.filter(({ number }) => number !== 0)
    .map((value) => [value.name, wordOf(value)]),
);

function presentMissing({ owner, id, text }: MissingTextRow): MissingText {
  return { owner: OWNERS[owner], id, text };
}

const OWNERS: Readonly<Record<MissingTextRow["owner"], TextOwner>> = {
  use_case: "TEXT_OWNER_USE_CASE",
  guided_field: "TEXT_OWNER_GUIDED_SEARCH_FIELD",
  knowledge_asset: "TEXT_OWNER_KNOWLEDGE_ASSET",
};
