import { fieldRequired, tooFew, type Violation, valueError } from "@assistant/kit/rules/violation.js";
import { invalid } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import type {
  GuidedSearchField,
  GuidedSearchFieldChange,
  NewGuidedSearchField,
} from "@assistant/proto/assistant/catalog/v1/guided_fields.js";
import type { FieldContent, FieldRow } from "../store/guided-fields.js";
import { isChoice, presentType, readType } from "./field-types.js";

/** The field of every request that holds a field or a change of one. */
export const BODY = "guided_search_field";

/** What a request for a new field says. */
export function newContent(field: NewGuidedSearchField): FieldContent {
  return {
    name: given(field.name),
    label: field.label,
    type: readType(given(field.type)),
    placeholder: field.placeholder,
    required: field.required ?? false,
    prompt_enrichment: field.prompt_enrichment ?? null,
    help_text: field.help_text,
    options: field.options.map(({ texts }) => texts),
  };
}

/** What a field says after a change. Options that a new type has no use for go with the old one. */
export function changedContent(before: FieldContent, change: GuidedSearchFieldChange): FieldContent {
  const told = fieldsGiven(change);
  const type = change.type === undefined ? before.type : readType(change.type);
  const kept = isChoice(type) ? before.options : [];
  const after = {
    name: change.name ?? before.name,
    label: told.has("label") ? change.label : before.label,
    type,
    placeholder: told.has("placeholder") ? change.placeholder : before.placeholder,
    required: change.required ?? before.required,
    prompt_enrichment: change.prompt_enrichment ?? before.prompt_enrichment,
    help_text: told.has("help_text") ? change.help_text : before.help_text,
    options: told.has("options") ? change.options.map(({ texts }) => texts) : kept,
  };
  refuseWrong(told, after);
  return after;
}

export function contentOf(row: FieldRow): FieldContent {
  const { name, label, type, placeholder, required, prompt_enrichment, help_text, options } = row;
  return { name, label, type, placeholder, required, prompt_enrichment, help_text, options };
}

export function presentField(row: FieldRow): GuidedSearchField {
  return {
    id: row.id,
    name: row.name,
    label: row.label,
    type: presentType(row.type),
    placeholder: row.placeholder,
    required: row.required,
    prompt_enrichment: row.prompt_enrichment ?? undefined,
    help_text: row.help_text,
    options: row.options.map((texts) => ({ texts })),
  };
}

const TEXTS = ["label", "placeholder", "help_text"] as const;
const COLLECTIONS = [...TEXTS, "options"] as const;

/** The lists and maps that the mask names; without a mask those that hold anything. */
function fieldsGiven(change: GuidedSearchFieldChange): ReadonlySet<string> {
  const filled = () => COLLECTIONS.filter((field) => Object.keys(change[field]).length > 0);
  return new Set(change.update_mask ?? filled());
}

/** What only mask and field together show, in the order of the fields. */
function refuseWrong(told: ReadonlySet<string>, after: FieldContent): void {
  // On the wire a map that is empty is one left out, which the rules cannot tell from one that the mask names.
  const empty = TEXTS.filter((field) => told.has(field) && Object.keys(after[field]).length === 0);
  const violations = [...empty.map((field) => tooFew([BODY, field], "Dictionary", 1, 0)), ...wrongOptions(told, after)];
  if (violations.length > 0) {
    throw invalid(...violations);
  }
}

function wrongOptions(told: ReadonlySet<string>, { type, options }: FieldContent): Violation[] {
  const path = [BODY, "options"];
  if (!isChoice(type)) {
    const text = "Options are only allowed for the types select and multi_select";
    return options.length > 0 ? [valueError(path, text)] : [];
  }
  if (options.length > 0) {
    return [];
  }
  return [told.has("options") ? tooFew(path, "List", 1, 0) : fieldRequired(path)];
}
