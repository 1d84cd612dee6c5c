import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { only } from "./only.js";

export interface KnowledgeGrantRow {
  source_id: string;
  principal_id: string;
  version: number;
}

export interface KnowledgeGrantKey {
  orgId: string;
  sourceId: string;
  principalId: string;
}

/** A principal of an org, as identity knew it at a version. */
export interface PrincipalState {
  orgId: string;
  principalId: string;
  version: number;
}

/**
 * Keeps a principal's departure away until the end of the transaction. False: it has left since identity was asked, so
 * nothing may be granted to it.
 */
export async function holdPrincipal(tx: Sql, { orgId, principalId, version }: PrincipalState): Promise<boolean> {
  const rows = await tx.query<{ sequence: string }>("knowledge_departures_hold", holding, [orgId, principalId]);
  return Number(only(rows).sequence) <= version;
}

/** Grants a source, which the transaction keeps, to a principal that `holdPrincipal` keeps. Undefined: it has it. */
export async function insertKnowledgeGrant(tx: Tx, sourceId: string, principal: PrincipalState) {
  const { orgId, principalId, version } = principal;
  const rows = await tx.change<StoredGrantRow>(inserting, [orgId, sourceId, principalId, version]);
  return rows.map(fromStore)[0];
}

export async function findKnowledgeGrant(sql: Sql, { orgId, sourceId, principalId }: KnowledgeGrantKey) {
  const rows = await sql.query<StoredGrantRow>("knowledge_grants_find", finding, [orgId, sourceId, principalId]);
  return rows.map(fromStore)[0];
}

/** Whether one of these principals holds a grant on a source. */
export async function holdsKnowledgeGrant(sql: Sql, orgId: string, sourceId: string, principalIds: readonly string[]) {
  return (await sql.query("knowledge_grants_any", findingAny, [orgId, sourceId, principalIds])).length > 0;
}

/** The grants of a source, newest first, older than a version. */
export async function listKnowledgeGrants(
  sql: Sql,
  { orgId, sourceId, before, limit }: { orgId: string; sourceId: string; before: number; limit: number },
): Promise<KnowledgeGrantRow[]> {
  const values = [orgId, sourceId, before, limit];
  return (await sql.query<StoredGrantRow>("knowledge_grants_list", listing, values)).map(fromStore);
}

/** Takes a grant away; false: it is gone, or has become another version. */
export async function removeKnowledgeGrant(tx: Tx, key: KnowledgeGrantKey, version: number): Promise<boolean> {
  const { orgId, sourceId, principalId } = key;
  return (await tx.change(removing, [orgId, sourceId, principalId, version])).length > 0;
}

/** Takes away what was granted to a principal before it left. */
export async function removeDeparted(tx: Tx, { orgId, principalId, version }: PrincipalState): Promise<void> {
  await tx.query("knowledge_departures_note", noting, [orgId, principalId, version]);
  await tx.change(removingDeparted, [orgId, principalId, version]);
}

/** 64 bits come as text. */
interface StoredGrantRow {
  source_id: string;
  principal_id: string;
  version: string;
}

function fromStore({ version, ...row }: StoredGrantRow): KnowledgeGrantRow {
  return { ...row, version: Number(version) };
}

const columns = "source_id, principal_id, version";
const finding = `select ${columns} from knowledge_grants where org_id = $1 and source_id = $2 and principal_id = $3`;
const findingAny = `select from knowledge_grants
  where org_id = $1 and source_id = $2 and principal_id = any($3) limit 1`;
const listing = `select ${columns} from knowledge_grants
  where org_id = $1 and source_id = $2 and version < $3 order by version desc limit $4`;

// Locks the row whether it was there or not.
const holding = `insert into knowledge_departures as known (org_id, principal_id, sequence) values ($1, $2, 0)
  on conflict (org_id, principal_id) do update set sequence = known.sequence returning sequence`;
const noting = `insert into knowledge_departures as known (org_id, principal_id, sequence) values ($1, $2, $3)
  on conflict (org_id, principal_id) do update set sequence = greatest(known.sequence, $3)`;

const told = ["knowledge_source_id", "principal_id"];
const named = "source_id || '/' || principal_id as id, org_id, source_id as knowledge_source_id";

const inserting = changing({
  name: "knowledge_grants_insert",
  effect: `insert into knowledge_grants (org_id, source_id, principal_id, principal_version) values ($1, $2, $3, $4)
    on conflict do nothing returning ${named}, ${columns}`,
  event: { type: "catalog.knowledge_grant.created", columns: told },
});

const gone = `returning ${named}, principal_id, nextval('knowledge_grants_version_seq') as version`;

const removing = changing({
  name: "knowledge_grants_remove",
  effect: `delete from knowledge_grants
    where org_id = $1 and source_id = $2 and principal_id = $3 and version = $4 ${gone}`,
  event: { type: "catalog.knowledge_grant.deleted", columns: told },
});

const removingDeparted = changing({
  name: "knowledge_grants_remove_departed",
  effect: `delete from knowledge_grants
    where org_id = $1 and principal_id = $2 and principal_version < $3 ${gone}`,
  event: { type: "catalog.knowledge_grant.deleted", columns: told },
});
