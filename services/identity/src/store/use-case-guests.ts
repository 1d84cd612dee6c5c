import type { Sql } from "@assistant/kit/database/postgres.js";
import { one } from "./one.js";

export interface UseCaseGuestsRow {
  /** Whom guests act as; null: nobody was let in yet. The account may be gone. */
  service_account_id: string | null;
  /** The version at which the use case was deleted last; 0: never. */
  deleted_version: number;
}

/** Notes what a use case is called, and holds it against twins and its own deletion. */
export async function holdUseCaseGuests(tx: Sql, orgId: string, useCaseId: string, label: object) {
  const values = [orgId, useCaseId, JSON.stringify(label)];
  return one(await tx.query<UseCaseGuestsRow>("use_case_guests_hold", holding, values));
}

/** Names the account that guests of a use case act as from now on, of one that `holdUseCaseGuests` holds. */
export async function setGuestAccount(tx: Sql, orgId: string, useCaseId: string, accountId: string): Promise<void> {
  one(await tx.query("use_case_guests_set", setting, [orgId, useCaseId, accountId]));
}

/** Notes that a use case was deleted, also if nobody has been let in yet: a link to it may be on its way. */
export async function noteDeletedUseCase(tx: Sql, orgId: string, useCaseId: string, version: number): Promise<void> {
  await tx.query("use_case_guests_note", noting, [orgId, useCaseId, version]);
}

/** Whether guests act as this account. */
export async function isGuestAccount(sql: Sql, orgId: string, accountId: string): Promise<boolean> {
  return (await sql.query("use_case_guests_find", finding, [orgId, accountId])).length > 0;
}

const holding = `
  insert into use_case_guests (org_id, use_case_id, label) values ($1, $2, $3)
  on conflict (org_id, use_case_id) do update set label = excluded.label
  returning service_account_id, deleted_version::integer`;
const setting = `
  update use_case_guests set service_account_id = $3 where org_id = $1 and use_case_id = $2
  returning service_account_id`;
const noting = `
  insert into use_case_guests (org_id, use_case_id, label, deleted_version) values ($1, $2, '{}', $3)
  on conflict (org_id, use_case_id) do update
  set deleted_version = greatest(use_case_guests.deleted_version, excluded.deleted_version)`;
const finding = "select from use_case_guests where org_id = $1 and service_account_id = $2";
