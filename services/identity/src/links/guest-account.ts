import type { Tx } from "@assistant/kit/database/postgres.js";
import { newId } from "@assistant/kit/process/id.js";
import { conflict } from "@assistant/kit/wire/fault.js";
import { insertServiceAccount, lockServiceAccount, type ServiceAccountRow } from "../store/service-accounts.js";
import { isGuestAccount, setGuestAccount } from "../store/use-case-guests.js";
import { type CurrentUseCase, holdUseCase } from "./use-case.js";

/**
 * The account that guests of a use case act as, held until the end of the transaction: made with the first link, and
 * again where somebody deleted it. The Fault missing where the use case was deleted since catalog was asked.
 */
export async function guestAccount(tx: Tx, orgId: string, useCase: CurrentUseCase): Promise<ServiceAccountRow> {
  const { service_account_id } = await holdUseCase(tx, orgId, useCase);
  const known = service_account_id === null ? undefined : await lockServiceAccount(tx, orgId, service_account_id);
  if (known !== undefined) {
    return known;
  }
  const fresh = { id: newId("sva"), orgId, name: nameOf(useCase), role: "member" } as const;
  const account = await insertServiceAccount(tx, fresh);
  await setGuestAccount(tx, orgId, useCase.id, account.id);
  return account;
}

/** Throws where guests act as the account: whatever it gets beyond its links, each of them would have. */
export async function refuseGuestAccount(
  tx: Tx,
  { org_id, id }: Pick<ServiceAccountRow, "org_id" | "id">,
  at: readonly string[] = [],
): Promise<void> {
  // An account is one of guests from its beginning or never, so there is nothing to hold.
  if (await isGuestAccount(tx, org_id, id)) {
    throw conflict("state", at);
  }
}

/** The account is one for readers of every language, so it has the name of the use case in one of them. */
function nameOf({ id, label }: CurrentUseCase): string {
  return label["en"] ?? Object.values(label)[0] ?? id;
}
