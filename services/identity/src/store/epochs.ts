import { listingPrincipals } from "./revocations.js";

/**
 * Common table expressions that raise the epoch of principals and list them as revoked: tokens made before say an older
 * one. `principals` selects their ids as `principal_id`. Rows are taken in the order of ids, lest two such statements
 * wait for each other.
 */
export function raisingEpochs(principals: string): string {
  return `
    touched as (${principals}),
    touched_users as (
      select id from users where id in (select principal_id from touched) order by id for no key update),
    raised_users as (
      update users set epoch = epoch + 1 from touched_users where users.id = touched_users.id
      returning users.id, epoch),
    touched_accounts as (
      select id from service_accounts where id in (select principal_id from touched) order by id for no key update),
    raised_accounts as (
      update service_accounts set epoch = epoch + 1 from touched_accounts
      where service_accounts.id = touched_accounts.id
      returning service_accounts.id, epoch),
    ${listingPrincipals("select id, epoch from raised_users union all select id, epoch from raised_accounts")}`;
}
