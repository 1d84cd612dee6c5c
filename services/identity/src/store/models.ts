import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { one } from "./one.js";
import { lastPlace, type Slice } from "./order.js";

export interface ModelRow {
  id: string;
  name: string;
  place: number;
  /** The org enables it. */
  enabled: boolean;
}

/** Lets the catalogue be changed by one transaction at a time, so that its length can be counted. */
export async function lockModels(tx: Sql): Promise<void> {
  await tx.query("models_lock", "select pg_advisory_xact_lock($1)", [MODELS_KEY]);
}

/** A model of the platform as an org has it. Held against its end until the end of the transaction. */
export async function lockModel(tx: Sql, orgId: string, id: string): Promise<ModelRow | undefined> {
  return (await tx.query<ModelRow>("models_find", `${selecting} where id = $2 for share`, [orgId, id]))[0];
}

/** The models of the platform as an org has them, newest first. */
export function listModels(sql: Sql, orgId: string, { before, limit }: Slice<number>): Promise<ModelRow[]> {
  return sql.query<ModelRow>("models_list", listing, [orgId, before ?? lastPlace, limit]);
}

export async function countModels(sql: Sql): Promise<number> {
  return (
    (await sql.query<{ count: number }>("models_count", "select count(*)::integer from models", []))[0]?.count ?? 0
  );
}

/** Ids of the models that an org enables, newest first. */
export async function listEnabledModels(sql: Sql, orgId: string): Promise<string[]> {
  return (await sql.query<{ id: string }>("models_enabled", listingEnabled, [orgId])).map(({ id }) => id);
}

/** Adds a model to the catalogue that `lockModels` holds. */
export async function insertModel(tx: Tx, id: string, name: string): Promise<void> {
  one(await tx.change(inserting, [id, name]));
}

export async function updateModel(tx: Tx, id: string, name: string): Promise<void> {
  one(await tx.change(updating, [id, name]));
}

/** False: there is no such model. */
export async function removeModel(tx: Tx, id: string): Promise<boolean> {
  return (await tx.change(removing, [id])).length > 0;
}

/** Has an org enable a model that `lockModel` holds, or disable it; as it is already changes nothing. */
export async function setModelEnabled(tx: Tx, orgId: string, id: string, enabled: boolean): Promise<void> {
  await tx.change(enabled ? enabling : disabling, [orgId, id]);
}

// Any number will do, as long as no other lock of this database has it.
const MODELS_KEY = 4_102_041;

const selecting = `
  select id, name, place,
    not exists (select from disabled_models where org_id = $1 and model_id = models.id) as enabled
  from models`;
const listing = `${selecting} where place < $2 order by place desc limit $3`;
const listingEnabled = `
  select id from models
  where not exists (select from disabled_models where org_id = $1 and model_id = models.id) order by place desc`;

// The catalogue belongs to no org.
const returning = "returning id, '' as org_id, name, version";
const told = ["id", "name"];

const inserting = changing({
  name: "models_insert",
  effect: `insert into models (id, name) values ($1, $2) ${returning}`,
  event: { type: "identity.model.created", columns: told },
});

const updating = changing({
  name: "models_update",
  effect: `update models set name = $2, version = nextval('model_versions') where id = $1 ${returning}`,
  event: { type: "identity.model.updated", columns: told },
});

const removing = changing({
  name: "models_remove",
  effect: `delete from models where id = $1
    returning id, '' as org_id, name, nextval('model_versions')::integer as version`,
  event: { type: "identity.model.deleted", columns: told },
});

const inOrg = "returning model_id as id, org_id, nextval('model_versions')::integer as version";

const enabling = changing({
  name: "models_enable",
  effect: `delete from disabled_models where org_id = $1 and model_id = $2 ${inOrg}`,
  event: { type: "identity.model.enabled", columns: ["id"] },
});

const disabling = changing({
  name: "models_disable",
  effect: `insert into disabled_models (org_id, model_id) values ($1, $2) on conflict do nothing ${inOrg}`,
  event: { type: "identity.model.disabled", columns: ["id"] },
});
