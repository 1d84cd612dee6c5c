import { type Cut, cutPage, withinBudget } from "@assistant/kit/database/cut.js";
import type { Sql } from "@assistant/kit/database/postgres.js";
import { type FieldContent, type FieldRow, fieldColumns, type Owner } from "./guided-fields.js";

/** Where a page of fields ended. */
export interface FieldPosition {
  position: number;
  id: string;
}

export type PlacedField = FieldRow & { position: number };

/** The fields of an owner in their order, after a position. */
export async function listFields(
  sql: Sql,
  { orgId, kind, id }: Owner,
  page: { after: FieldPosition | undefined; pageSize: number },
): Promise<Cut<PlacedField>> {
  const { position, id: last } = page.after ?? BEFORE_ALL;
  const values = [orgId, kind, id, position, last, page.pageSize + 1];
  return cutPage(
    await sql.query<PlacedField & { found: number }>("guided_fields_list", listing, values),
    page.pageSize,
  );
}

/** What rendering takes of a field. */
export type RenderedField = Pick<
  FieldContent,
  "name" | "label" | "type" | "required" | "prompt_enrichment" | "options"
>;

/** The fields of an owner that have one of these names or must be filled in, in their order. */
export async function findFieldsToRender(
  sql: Sql,
  { orgId, kind, id }: Owner,
  names: readonly string[],
): Promise<RenderedField[]> {
  return sql.query<RenderedField>("guided_fields_to_render", rendering, [orgId, kind, id, names]);
}

const BEFORE_ALL: FieldPosition = { position: -1, id: "" };

const LONG = ["label", "placeholder", "prompt_enrichment", "help_text", "options"];
const BYTES = LONG.map((column) => `coalesce(octet_length(${column}::text), 0)`).join(" + ");

const listing = `
  with keys as (
    select attached.org_id, field_id as id, position, ${BYTES} as bytes
    from guided_field_attachments as attached join guided_fields as field
      on field.org_id = attached.org_id and field.id = field_id
    where attached.org_id = $1 and owner_kind = $2 and owner_id = $3 and (position, field_id) > ($4, $5)
    order by position, field_id limit $6),
  ${withinBudget("position, id")}
  select ${fieldColumns}, position, found from cut join guided_fields using (org_id, id) order by position, id`;

const rendering = `
  select field.name, label, type, required, prompt_enrichment, options
  from guided_field_attachments as attached join guided_fields as field
    on field.org_id = attached.org_id and field.id = field_id
  where attached.org_id = $1 and owner_kind = $2 and owner_id = $3 and (required or field.name = any($4))
  order by position, field_id`;
