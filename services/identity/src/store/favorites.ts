import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import type { ProfileKey } from "./profiles.js";

/** Favorite use cases of a principal in the org, newest first. */
export async function listFavorites(sql: Sql, { orgId, principalId }: ProfileKey): Promise<string[]> {
  const rows = await sql.query<{ use_case_id: string }>("favorites_list", listing, [orgId, principalId]);
  return rows.map((row) => row.use_case_id);
}

/** Adds a favorite, which may be one already. The profile is held, so that nobody counts beside us. */
export async function insertFavorite(tx: Tx, { orgId, principalId }: ProfileKey, useCaseId: string): Promise<void> {
  await tx.change(inserting, [orgId, principalId, useCaseId]);
}

/** Removes a favorite, which may be none. */
export async function removeFavorite(tx: Tx, { orgId, principalId }: ProfileKey, useCaseId: string): Promise<void> {
  await tx.change(removing, [orgId, principalId, useCaseId]);
}

/** Removes the favorites that a use case is to anybody. The event of the use case's end says it to whoever cares. */
export async function removeFavoritesOf(tx: Sql, orgId: string, useCaseId: string): Promise<void> {
  await tx.query("favorites_remove_use_case", removingUseCase, [orgId, useCaseId]);
}

const listing = `
  select use_case_id from favorites where principal_id = $2 and org_id = $1 order by place desc`;

const returning = "principal_id || '/' || use_case_id as id, org_id, principal_id, use_case_id";
const told = ["principal_id", "use_case_id"];

const inserting = changing({
  name: "favorites_insert",
  effect: `insert into favorites (org_id, principal_id, use_case_id) values ($1, $2, $3)
    on conflict do nothing returning ${returning}, place as version`,
  event: { type: "identity.favorite.created", columns: told },
});

const removing = changing({
  name: "favorites_remove",
  effect: `delete from favorites where org_id = $1 and principal_id = $2 and use_case_id = $3
    returning ${returning}, nextval('favorite_places')::integer as version`,
  event: { type: "identity.favorite.deleted", columns: told },
});

const removingUseCase = "delete from favorites where org_id = $1 and use_case_id = $2";
