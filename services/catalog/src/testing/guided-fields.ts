import type {
  GuidedSearchField,
  GuidedSearchFieldChange,
  NewGuidedSearchField,
} from "@assistant/proto/assistant/catalog/v1/guided_fields.js";
import { GuidedFieldsServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/guided_fields_service.js";
import type { Beside, Person } from "./platform.js";
import { present } from "./verbs.js";

/** A new field as the gateway sends it: a text with the least that it needs. */
export function newField(about: Partial<NewGuidedSearchField> = {}): NewGuidedSearchField {
  return {
    name: "region",
    label: { en: "Region" },
    type: "GUIDED_SEARCH_FIELD_TYPE_TEXT",
    placeholder: {},
    help_text: {},
    options: [],
    ...about,
  };
}

/** A change as the gateway sends it: the mask names what is given. */
export function fieldChange(about: Partial<GuidedSearchFieldChange>): GuidedSearchFieldChange {
  return { label: {}, placeholder: {}, help_text: {}, options: [], update_mask: Object.keys(about), ...about };
}

export async function createField(
  person: Person,
  use_case_id: string,
  about: Partial<NewGuidedSearchField> = {},
  beside: Beside = {},
): Promise<GuidedSearchField> {
  const request = { use_case_id, guided_search_field: newField(about) };
  return present((await person.ask(rpcs.createUseCaseField, request, beside)).guided_search_field);
}

export async function createAssetField(
  person: Person,
  knowledge_asset_id: string,
  about: Partial<NewGuidedSearchField> = {},
): Promise<GuidedSearchField> {
  const request = { knowledge_asset_id, guided_search_field: newField(about) };
  return present((await person.ask(rpcs.createKnowledgeAssetField, request)).guided_search_field);
}

export async function fieldIds(person: Person, use_case_id: string): Promise<string[]> {
  const { items } = await person.ask(rpcs.listUseCaseFields, { use_case_id, page_size: 200 });
  return items.map(({ id }) => id);
}
