import { contains, filters } from "@assistant/kit/database/filters.js";
import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { only } from "./only.js";

export interface KnowledgeSourceRow {
  id: string;
  org_id: string;
  name: string;
  version: number;
}

export interface KnowledgeSourceKey {
  orgId: string;
  id: string;
}

export async function insertKnowledgeSource(tx: Tx, { orgId, id }: KnowledgeSourceKey, name: string) {
  return only(await tx.change<KnowledgeSourceRow>(inserting, [orgId, id, name]));
}

export async function findKnowledgeSource(sql: Sql, { orgId, id }: KnowledgeSourceKey) {
  return (await sql.query<KnowledgeSourceRow>("knowledge_sources_find", finding, [orgId, id]))[0];
}

/** Holds a knowledge source until the end of the transaction. */
export async function lockKnowledgeSource(tx: Sql, { orgId, id }: KnowledgeSourceKey) {
  const text = `${finding} for update`;
  return (await tx.query<KnowledgeSourceRow>("knowledge_sources_lock", text, [orgId, id]))[0];
}

export interface KnowledgeSourceFilter {
  orgId: string;
  text?: string | undefined;
  /** Only older ones than this. */
  before?: string | undefined;
  limit: number;
}

/** The knowledge sources of an org, newest first. */
export function listKnowledgeSources(sql: Sql, { orgId, text, before, limit }: KnowledgeSourceFilter) {
  const where = filters("knowledge_sources_list");
  const parts = [`org_id = ${where.bind(orgId)}`];
  if (text !== undefined) {
    where.mark("text");
    parts.push(contains("name", where.bind(text)));
  }
  if (before !== undefined) {
    where.mark("before");
    parts.push(`id < ${where.bind(before)}`);
  }
  const listing = `select ${columns} from knowledge_sources where ${parts.join(" and ")}
    order by id desc limit ${where.bind(limit)}`;
  return sql.query<KnowledgeSourceRow>(where.name, listing, where.values);
}

/** Changes a knowledge source that `lockKnowledgeSource` holds. */
export async function updateKnowledgeSource(tx: Tx, { orgId, id }: KnowledgeSourceKey, name: string) {
  return only(await tx.change<KnowledgeSourceRow>(updating, [orgId, id, name]));
}

/** Removes a knowledge source that `lockKnowledgeSource` holds: from all assets, deleted ones too, and with its grants. */
export async function removeKnowledgeSource(tx: Tx, { orgId, id }: KnowledgeSourceKey): Promise<void> {
  await tx.change(leavingAssets, [orgId, id]);
  await tx.change(removingGrants, [orgId, id]);
  only(await tx.change(removing, [orgId, id]));
}

/** Of these sources, those that are there, kept until the end of the transaction. `heldBy`: only with a grant of these. */
export async function keepKnowledgeSources(
  tx: Sql,
  { orgId, ids, heldBy }: { orgId: string; ids: readonly string[]; heldBy: readonly string[] | undefined },
): Promise<string[]> {
  const rows =
    heldBy === undefined
      ? await tx.query<{ id: string }>("knowledge_sources_keep", `${keeping} ${KEPT}`, [orgId, ids])
      : await tx.query<{ id: string }>("knowledge_sources_keep_held", `${keepingHeld} ${KEPT}`, [orgId, ids, heldBy]);
  return rows.map(({ id }) => id);
}

const columns = "id, org_id, name, version";
const finding = `select ${columns} from knowledge_sources where org_id = $1 and id = $2`;

// In order, so that nobody waits in a circle.
const KEPT = "order by id for key share";
const keeping = "select id from knowledge_sources where org_id = $1 and id = any($2)";
const keepingHeld = `${keeping} and exists (
  select from knowledge_grants where source_id = knowledge_sources.id and principal_id = any($3))`;

/** What events tell of a knowledge source. Its name may be personal: whoever needs it asks. */
const told = ["id"];

const inserting = changing({
  name: "knowledge_sources_insert",
  effect: `insert into knowledge_sources (org_id, id, name, version) values ($1, $2, $3, 1) returning ${columns}`,
  event: { type: "catalog.knowledge_source.created", columns: told },
});

const updating = changing({
  name: "knowledge_sources_update",
  effect: `update knowledge_sources set name = $3, version = version + 1
    where org_id = $1 and id = $2 returning ${columns}`,
  event: { type: "catalog.knowledge_source.updated", columns: told },
});

const leavingAssets = changing({
  name: "knowledge_sources_leave_assets",
  effect: `update knowledge_assets
    set knowledge_source_ids = array_remove(knowledge_source_ids, $2), version = version + 1
    where org_id = $1 and knowledge_source_ids @> array[$2]
    returning id, org_id, category, knowledge_source_ids, version`,
  event: { type: "catalog.knowledge_asset.updated", columns: ["id", "category", "knowledge_source_ids"] },
});

const removingGrants = changing({
  name: "knowledge_sources_remove_grants",
  effect: `delete from knowledge_grants where org_id = $1 and source_id = $2
    returning source_id || '/' || principal_id as id, org_id, source_id as knowledge_source_id, principal_id,
      nextval('knowledge_grants_version_seq') as version`,
  event: { type: "catalog.knowledge_grant.deleted", columns: ["knowledge_source_id", "principal_id"] },
});

const removing = changing({
  name: "knowledge_sources_remove",
  effect: `delete from knowledge_sources where org_id = $1 and id = $2
    returning id, org_id, version + 1 as version`,
  event: { type: "catalog.knowledge_source.deleted", columns: told },
});
