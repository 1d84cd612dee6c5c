import type { Sql } from "@assistant/kit/database/postgres.js";

/** Registers a scope and keeps it open until the end of the transaction; false once the thing it names is gone. */
export async function openScope(tx: Sql, orgId: string, scopeId: string): Promise<boolean> {
  await tx.query("scopes_insert", inserting, [orgId, scopeId]);
  const rows = await tx.query("scopes_find_open", findingOpen, [orgId, scopeId]);
  return rows.length > 0;
}

/**
 * Lets nothing be created in a scope any more. Waits for creations under way, later ones wait for the end of this
 * transaction.
 */
export async function closeScope(tx: Sql, orgId: string, scopeId: string): Promise<void> {
  await tx.query("scopes_insert", inserting, [orgId, scopeId]);
  await tx.query("scopes_lock_whole", lockingWhole, [orgId, scopeId]);
  await tx.query("scopes_close", closing, [orgId, scopeId]);
}

/** Holds the order of a scope's categories until the end of the transaction. */
export async function lockScope(tx: Sql, orgId: string, scopeId: string): Promise<void> {
  await tx.query("scopes_lock_order", lockingOrder, [orgId, scopeId]);
}

const inserting = "insert into scopes (org_id, scope_id) values ($1, $2) on conflict do nothing";
const findingOpen = "select from scopes where org_id = $1 and scope_id = $2 and deleted_at is null for key share";
// Creations hold the row for key share, which a plain update would not wait for.
const lockingWhole = "select from scopes where org_id = $1 and scope_id = $2 for update";
const closing = "update scopes set deleted_at = now() where org_id = $1 and scope_id = $2 and deleted_at is null";
const lockingOrder = "select from scopes where org_id = $1 and scope_id = $2 for no key update";
