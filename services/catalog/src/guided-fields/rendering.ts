import type { Postgres } from "@assistant/kit/database/postgres.js";
import { valueError } from "@assistant/kit/rules/violation.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { invalid } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import type {
  RenderUseCaseFieldsRequest,
  RenderUseCaseFieldsResponse,
} from "@assistant/proto/assistant/catalog/v1/guided_fields_use_cases.js";
import { findFieldsToRender, type RenderedField } from "../store/guided-field-lists.js";
import type { Owner } from "../store/guided-fields.js";
import { type SentValues, textOf, wrongValues } from "./field-values.js";
import { requireReadable } from "./owners.js";
import { type Enrichment, fillTemplates, PROMPT_MAX } from "./prompt.js";
import { languagesFor, textIn } from "./texts.js";

export async function renderFields(
  db: Postgres,
  request: RenderUseCaseFieldsRequest,
  call: Call,
  owner: Owner,
): Promise<RenderUseCaseFieldsResponse> {
  await requireReadable(db, call.caller, owner);
  const values = readValues(given(request.values));
  const languages = languagesFor(request.locale);
  const fields = await findFieldsToRender(db, owner, Object.keys(values));
  const wrong = wrongValues(fields, values, languages);
  if (wrong.length > 0) {
    throw invalid(...wrong);
  }
  const prompt = fillTemplates(fields.flatMap((field) => enrichmentOf(field, values, languages)));
  if (prompt === undefined) {
    throw invalid(valueError(["values"], `The prompt would have more than ${PROMPT_MAX} characters`));
  }
  return { prompt };
}

/** The rules made sure that the text is an object of JSON. */
function readValues(text: string): SentValues {
  return JSON.parse(text) as SentValues;
}

function enrichmentOf(field: RenderedField, values: SentValues, languages: readonly string[]): Enrichment[] {
  const value = textOf(field, values, languages);
  const template = field.prompt_enrichment;
  if (value === undefined || template === null || template === "") {
    return [];
  }
  return [{ template, label: textIn(field.label, languages), value }];
}
