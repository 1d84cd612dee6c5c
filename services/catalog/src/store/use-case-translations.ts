import { filters } from "@assistant/kit/database/filters.js";
import type { Sql } from "@assistant/kit/database/postgres.js";
import { isVisible, type Sight } from "./knowledge-visibility.js";
import type { UseCaseKey } from "./use-cases.js";

export interface MissingTextRow {
  locale: string;
  owner: "use_case" | "guided_field" | "knowledge_asset";
  id: string;
  text: string;
}

/**
 * What a use case, its fields and the visible assets attached to it say in some language but not in each of these:
 * the use case's own texts first, then those of the fields and of the assets, in their order. Options are one text.
 */
export async function listMissingTexts(
  sql: Sql,
  { orgId, id }: UseCaseKey,
  { locales, sight }: { locales: readonly string[]; sight: Sight },
): Promise<MissingTextRow[]> {
  const where = filters("use_case_translations");
  const [org, useCase, words] = [where.bind(orgId), where.bind(id), where.bind(locales)];
  const text = `
    with texts as (
      select 'use_case' as owner, 0 as kind, 0 as place, id, named.*
      from use_cases cross join lateral (values (0, 'label', label), (1, 'description', description))
        as named (rank, text, said)
      where org_id = ${org} and id = ${useCase}
      union all
      select 'guided_field', 1, attached.position, field.id, named.*
      from guided_field_attachments as attached
        join guided_fields as field on field.org_id = attached.org_id and field.id = field_id
        cross join lateral (
          values (0, 'label', label), (1, 'placeholder', placeholder), (2, 'help_text', help_text)
          union all select 3, 'options', said from jsonb_array_elements(options) as option (said)
        ) as named (rank, text, said)
      where attached.org_id = ${org} and owner_kind = 'use_case' and owner_id = ${useCase}
      union all
      select 'knowledge_asset', 2, attached.position, asset.id, named.*
      from use_case_assets as attached join knowledge_assets as asset on asset.id = asset_id
        cross join lateral (values (0, 'label', label), (1, 'description', description)) as named (rank, text, said)
      where use_case_id = ${useCase} and asset.deleted_at is null and ${isVisible(sight, where)})
    select locale, owner, id, text
    from texts cross join unnest(${words}::text[]) as locale
    where said <> '{}' and not said ? locale
    group by locale, kind, place, owner, id, rank, text order by kind, place, id, rank`;
  return sql.query<MissingTextRow>(where.name, text, where.values);
}
