import type { Sql } from "@assistant/kit/database/postgres.js";

export interface KnowledgeItem {
  orgId: string;
  sourceId: string;
  itemId: string;
  /** Of the event that tells of it. */
  sequence: number;
  isPresent: boolean;
}

/** Notes what became of an item, unless later news is known already, or the source is gone. */
export async function noteKnowledgeItem(tx: Sql, item: KnowledgeItem): Promise<void> {
  const { orgId, sourceId, itemId, sequence, isPresent } = item;
  await tx.query("knowledge_items_note", noting, [orgId, sourceId, itemId, sequence, isPresent]);
}

/** Of these sources, those that hold something. */
export async function findFilledSources(sql: Sql, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ id: string }>("knowledge_items_filled", findingFilled, [ids]);
  return new Set(rows.map(({ id }) => id));
}

const noting = `insert into knowledge_items as known (source_id, item_id, sequence, is_present)
  select id, $3, $4, $5 from knowledge_sources where org_id = $1 and id = $2 for key share
  on conflict (source_id, item_id) do update set sequence = excluded.sequence, is_present = excluded.is_present
    where known.sequence < excluded.sequence`;

const findingFilled = `select id from unnest($1::text[]) as id
  where exists (select from knowledge_items where source_id = id and is_present)`;
