import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { detachFieldsOf, findFieldIds, lockFieldsOf } from "../store/guided-field-attachments.js";
import type { OwnerKind } from "../store/guided-fields.js";

/** The ids of the fields of owners of one kind, each owner's in their order; an owner without any is left out. */
export function fieldIdsOf(
  sql: Sql,
  orgId: string,
  kind: OwnerKind,
  ownerIds: readonly string[],
): Promise<Map<string, string[]>> {
  return findFieldIds(sql, { orgId, kind }, ownerIds);
}

/** Takes all fields away from an owner that is held; those that nothing else has are deleted. */
export async function detachAll(tx: Tx, orgId: string, kind: OwnerKind, ownerId: string): Promise<void> {
  const owner = { orgId, kind, id: ownerId };
  await lockFieldsOf(tx, owner);
  await detachFieldsOf(tx, owner);
}
