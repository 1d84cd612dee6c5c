import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { breaksUnique } from "@assistant/kit/database/postgres-fault.js";
import { changing } from "@assistant/kit/database/statement.js";
import { only } from "./only.js";
import type { Texts } from "./use-cases.js";

export type FieldType = "text" | "textarea" | "number" | "date" | "boolean" | "select" | "multi_select";

/** What a field says of itself. */
export interface FieldContent {
  name: string;
  label: Texts;
  type: FieldType;
  placeholder: Texts;
  required: boolean;
  prompt_enrichment: string | null;
  help_text: Texts;
  options: readonly Texts[];
}

export interface FieldRow extends FieldContent {
  id: string;
  org_id: string;
  version: number;
}

export interface FieldKey {
  orgId: string;
  id: string;
}

export type OwnerKind = "use_case" | "knowledge_asset";

/** What fields are attached to. */
export interface Owner {
  orgId: string;
  kind: OwnerKind;
  id: string;
}

/** Makes a field the last one of an owner that is held. */
export function insertField(
  tx: Tx,
  owner: Owner,
  id: string,
  content: FieldContent,
): Promise<FieldRow | "name taken" | "id taken"> {
  const values = [owner.orgId, id, ...valuesOf(content), owner.kind, owner.id];
  return unlessNameTaken(async () => (await tx.change<FieldRow>(inserting, values))[0] ?? "id taken");
}

/** Changes a field that `lockField` holds. */
export function updateField(tx: Tx, { orgId, id }: FieldKey, content: FieldContent): Promise<FieldRow | "name taken"> {
  return unlessNameTaken(async () => only(await tx.change<FieldRow>(updating, [orgId, id, ...valuesOf(content)])));
}

/** Removes a field that `lockField` holds, with its attachments; the event tells the owner it was removed from. */
export async function removeField(tx: Tx, { orgId, kind, id }: Owner, fieldId: string): Promise<void> {
  only(await tx.change(removing, [orgId, fieldId, kind, id]));
}

/** A field of an owner. */
export async function findField(sql: Sql, { orgId, kind, id }: Owner, fieldId: string): Promise<FieldRow | undefined> {
  return (await sql.query<FieldRow>("guided_fields_find", finding, [orgId, fieldId, kind, id]))[0];
}

/** Holds a field, attached or not, until the end of the transaction. Owners come before fields where both are held. */
export async function lockField(tx: Sql, { orgId, id }: FieldKey): Promise<FieldRow | undefined> {
  return (await tx.query<FieldRow>("guided_fields_lock", locking, [orgId, id]))[0];
}

/** Rethrows unless a name is taken, which no earlier look could rule out: another owner's request may take it. */
export async function unlessNameTaken<Done>(change: () => Promise<Done>): Promise<Done | "name taken"> {
  try {
    return await change();
  } catch (error) {
    if (breaksUnique(error, "guided_field_attachments_name")) {
      return "name taken";
    }
    throw error;
  }
}

export const fieldColumns =
  "id, org_id, name, label, type, placeholder, required, prompt_enrichment, help_text, options, version";

/** What events tell of a field and one of its owners. Its texts are long: whoever needs them asks. */
export const toldOfOwner = ["id", "type", "owner_kind", "owner_id"];

const locking = `select ${fieldColumns} from guided_fields where org_id = $1 and id = $2 for update`;

const finding = `
  select ${fieldColumns} from guided_fields as field where org_id = $1 and id = $2 and exists (
    select from guided_field_attachments
    where org_id = field.org_id and field_id = field.id and owner_kind = $3 and owner_id = $4)`;

const inserting = changing({
  name: "guided_fields_insert",
  before: `
    place as (
      select coalesce(max(position) + 1, 0) as position from guided_field_attachments
      where org_id = $1 and owner_kind = $11 and owner_id = $12),
    created as (
      insert into guided_fields (org_id, id, name, label, type, placeholder, required, prompt_enrichment, help_text,
        options, version)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1) on conflict (org_id, id) do nothing
      returning ${fieldColumns}),
    attached as (
      insert into guided_field_attachments (org_id, owner_kind, owner_id, field_id, name, position)
      select org_id, $11, $12, id, name, position from created cross join place returning owner_kind, owner_id),`,
  effect: `select ${fieldColumns}, owner_kind, owner_id from created cross join attached`,
  event: { type: "catalog.guided_field.created", columns: toldOfOwner },
});

const updating = changing({
  name: "guided_fields_update",
  effect: `update guided_fields set name = $3, label = $4, type = $5, placeholder = $6, required = $7,
      prompt_enrichment = $8, help_text = $9, options = $10, version = version + 1
    where org_id = $1 and id = $2 returning ${fieldColumns}`,
  event: { type: "catalog.guided_field.updated", columns: ["id", "type"] },
});

const removing = changing({
  name: "guided_fields_remove",
  effect: `delete from guided_fields where org_id = $1 and id = $2
    returning id, org_id, type, version + 1 as version, $3::text as owner_kind, $4::text as owner_id`,
  event: { type: "catalog.guided_field.deleted", columns: toldOfOwner },
});

function valuesOf(content: FieldContent): unknown[] {
  const { name, label, type, placeholder, required, prompt_enrichment, help_text, options } = content;
  const [labelText, placeholderText, helpText, optionTexts] = [label, placeholder, help_text, options].map((texts) =>
    JSON.stringify(texts),
  );
  return [name, labelText, type, placeholderText, required, prompt_enrichment, helpText, optionTexts];
}
