import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { only } from "./only.js";
import type { UseCaseKey } from "./use-cases.js";

/**
 * Holds the use case that was deleted first, if that was before a time; not one that somebody else holds, who may just
 * be restoring it.
 */
export async function lockDeletedUseCase(tx: Sql, before: Date): Promise<UseCaseKey | undefined> {
  return (await tx.query<UseCaseKey>("use_case_purge_lock", locking, [before]))[0];
}

/** Removes a use case that `lockDeletedUseCase` holds for good, with what is attached to it. */
export async function purgeUseCase(tx: Tx, { orgId, id }: UseCaseKey): Promise<void> {
  only(await tx.change(purging, [orgId, id]));
}

const locking = `
  select org_id as "orgId", id from use_cases where deleted_at < $1
  order by deleted_at, id limit 1 for update skip locked`;

const purging = changing({
  name: "use_case_purge",
  effect: "delete from use_cases where org_id = $1 and id = $2 returning id, org_id, version + 1 as version",
  event: { type: "catalog.use_case.purged", columns: ["id"] },
});
