import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import {
  type FieldKey,
  type FieldRow,
  fieldColumns,
  type Owner,
  toldOfOwner,
  unlessNameTaken,
} from "./guided-fields.js";
import { only } from "./only.js";

/** Makes a field that `lockField` holds the last one of an owner that is held too. */
export function attachField(tx: Tx, { orgId, kind, id }: Owner, fieldId: string): Promise<FieldRow | "name taken"> {
  return unlessNameTaken(async () => only(await tx.change<FieldRow>(attaching, [orgId, fieldId, kind, id])));
}

/** Detaches a field that `lockField` holds from one of its owners. */
export async function detachField(tx: Tx, { orgId, kind, id }: Owner, fieldId: string): Promise<void> {
  only(await tx.change(detaching, [orgId, kind, id, [fieldId]]));
}

/** Whatever a field is attached to. */
export async function ownersOf(sql: Sql, { orgId, id }: FieldKey): Promise<Owner[]> {
  return sql.query<Owner>("guided_field_owners", findingOwners, [orgId, id]);
}

/** The ids of the fields of owners of one kind, each owner's in their order; an owner without any is left out. */
export async function findFieldIds(
  sql: Sql,
  { orgId, kind }: Omit<Owner, "id">,
  ownerIds: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await sql.query<{ owner_id: string; ids: string[] }>("guided_field_ids", findingIds, [
    orgId,
    kind,
    ownerIds,
  ]);
  return new Map(rows.map(({ owner_id, ids }) => [owner_id, ids]));
}

/** Holds all fields of an owner that is held, in the order of their ids as everybody does. */
export async function lockFieldsOf(tx: Sql, { orgId, kind, id }: Owner): Promise<void> {
  await tx.query("guided_fields_lock_all", lockingAll, [orgId, kind, id]);
}

/** Puts the fields that `lockFieldsOf` holds in the order of these ids, which are all of them. */
export async function placeFields(tx: Tx, { orgId, kind, id }: Owner, ids: readonly string[]): Promise<void> {
  await tx.change(placing, [orgId, kind, id, ids]);
}

/** Removes the fields that `lockFieldsOf` holds and that nothing else has, and detaches the others. */
export async function detachFieldsOf(tx: Tx, { orgId, kind, id }: Owner): Promise<void> {
  await tx.change(removingOwn, [orgId, kind, id]);
  const left = (await findFieldIds(tx, { orgId, kind }, [id])).get(id);
  if (left !== undefined) {
    await tx.change(detaching, [orgId, kind, id, left]);
  }
}

const ofOwner = "org_id = $1 and owner_kind = $2 and owner_id = $3";

const findingOwners = `
  select org_id as "orgId", owner_kind as kind, owner_id as id from guided_field_attachments
  where org_id = $1 and field_id = $2 order by owner_kind, owner_id`;

const findingIds = `
  select owner_id, array_agg(field_id order by position, field_id) as ids from guided_field_attachments
  where org_id = $1 and owner_kind = $2 and owner_id = any($3) group by owner_id`;

const lockingAll = `
  select id from guided_fields where org_id = $1 and id in (
    select field_id from guided_field_attachments where ${ofOwner})
  order by id for update`;

const attaching = changing({
  name: "guided_field_attach",
  before: `
    place as (
      select coalesce(max(position) + 1, 0) as position from guided_field_attachments
      where org_id = $1 and owner_kind = $3 and owner_id = $4),
    attached as (
      insert into guided_field_attachments (org_id, owner_kind, owner_id, field_id, name, position)
      select org_id, $3, $4, id, name, position from guided_fields cross join place where org_id = $1 and id = $2
      returning owner_kind, owner_id),`,
  effect: `update guided_fields set version = version + 1 from attached where org_id = $1 and id = $2
    returning ${fieldColumns}, owner_kind, owner_id`,
  event: { type: "catalog.guided_field.attached", columns: toldOfOwner },
});

const detaching = changing({
  name: "guided_field_detach",
  before: `
    gone as (
      delete from guided_field_attachments where ${ofOwner} and field_id = any($4)
      returning field_id, owner_kind, owner_id),`,
  effect: `update guided_fields set version = version + 1 from gone where org_id = $1 and id = field_id
    returning id, org_id, type, version, owner_kind, owner_id`,
  event: { type: "catalog.guided_field.detached", columns: toldOfOwner },
});

const placing = changing({
  name: "guided_field_place",
  before: `
    moved as (
      update guided_field_attachments set position = array_position($4::text[], field_id) - 1
      where ${ofOwner} and position <> array_position($4::text[], field_id) - 1
      returning field_id, owner_kind, owner_id, position),`,
  effect: `update guided_fields set version = version + 1 from moved where org_id = $1 and id = field_id
    returning id, org_id, version, owner_kind, owner_id, position`,
  event: { type: "catalog.guided_field.moved", columns: ["id", "owner_kind", "owner_id", "position"] },
});

const removingOwn = changing({
  name: "guided_field_remove_own",
  effect: `delete from guided_fields as field where org_id = $1
      and id in (select field_id from guided_field_attachments where ${ofOwner})
      and not exists (
        select from guided_field_attachments as other
        where other.org_id = $1 and other.field_id = field.id and (other.owner_kind, other.owner_id) <> ($2, $3))
    returning id, org_id, type, version + 1 as version, $2::text as owner_kind, $3::text as owner_id`,
  event: { type: "catalog.guided_field.deleted", columns: toldOfOwner },
});
