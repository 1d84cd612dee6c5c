import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import type { Language } from "./orgs.js";

export interface ProfileRow {
  id: string;
  email: string | null;
  /** The one chosen, else the org's. */
  preferred_language: Language;
  /** The one chosen, while it is in the catalogue and the org enables it. */
  preferred_model: string | null;
  /** The org chosen, while the user is its member, else the one asked in. */
  active_org_id: string;
  created_at: Date;
  updated_at: Date;
}

/** Whose profile: a member or a service account of the org. */
export interface ProfileKey {
  orgId: string;
  principalId: string;
}

export async function findProfile(sql: Sql, { orgId, principalId }: ProfileKey): Promise<ProfileRow | undefined> {
  return (await sql.query<ProfileRow>("profiles_find", finding, [orgId, principalId]))[0];
}

/** Holds a profile until the end of the transaction, one that was never written too; false: there is no such principal. */
export async function lockProfile(tx: Sql, { orgId, principalId }: ProfileKey): Promise<boolean> {
  await tx.query("profiles_begin", beginning, [orgId, principalId]);
  return (await tx.query("profiles_lock", locking, [principalId])).length > 0;
}

export interface ProfileChange {
  preferredLanguage?: Language | undefined;
  preferredModel?: string | undefined;
  activeOrgId?: string | undefined;
}

/** Changes a profile that `lockProfile` holds; to what it is already it changes nothing. */
export async function updateProfile(tx: Tx, { orgId, principalId }: ProfileKey, change: ProfileChange): Promise<void> {
  const { preferredLanguage = null, preferredModel = null, activeOrgId = null } = change;
  await tx.change(updating, [orgId, principalId, preferredLanguage, preferredModel, activeOrgId]);
}

export interface OAuthTokenRow {
  credential_id: string;
  provider: string;
  scopes: string[];
  expires_at: Date | null;
  status: string;
}

/** The accounts elsewhere that a user connected in the org. */
export function listOAuthTokens(sql: Sql, { orgId, principalId }: ProfileKey): Promise<OAuthTokenRow[]> {
  return sql.query<OAuthTokenRow>("oauth_token_status_list", listingOAuthTokens, [orgId, principalId]);
}

const finding = `
  select people.id, email, people.created_at,
    coalesce(preferred_language, orgs.default_language) as preferred_language,
    (select id from models where id = preferred_model and not exists (
      select from disabled_models where org_id = $1 and model_id = models.id)) as preferred_model,
    coalesce((select org_id from memberships where user_id = $2 and org_id = active_org_id), $1) as active_org_id,
    coalesce(updated_at, people.created_at) as updated_at
  from (
    select id, email, created_at from users
      where id = $2 and exists (select from memberships where org_id = $1 and user_id = $2)
    union all
    select id, null, created_at from service_accounts where org_id = $1 and id = $2) as people
  join orgs on orgs.id = $1 left join profiles on principal_id = people.id`;

const beginning = `
  insert into profiles (user_id, service_account_id)
  select (select user_id from memberships where org_id = $1 and user_id = $2),
    (select id from service_accounts where org_id = $1 and id = $2)
  where exists (select from memberships where org_id = $1 and user_id = $2)
    or exists (select from service_accounts where org_id = $1 and id = $2)
  on conflict (principal_id) do nothing`;

const locking = "select principal_id from profiles where principal_id = $1 for update";

const updating = changing({
  name: "profiles_update",
  effect: `update profiles set preferred_language = coalesce($3, preferred_language),
      preferred_model = coalesce($4, preferred_model), active_org_id = coalesce($5, active_org_id),
      version = version + 1, updated_at = now()
    where principal_id = $2 and ($3 <> coalesce(preferred_language, '') or $4 <> coalesce(preferred_model, '')
      or $5 <> coalesce(active_org_id, ''))
    returning principal_id as id, $1::text as org_id, preferred_language, preferred_model, active_org_id, version`,
  event: {
    type: "identity.user_profile.updated",
    columns: ["id", "preferred_language", "preferred_model", "active_org_id"],
  },
});

const listingOAuthTokens = `
  select credential_id, provider, scopes, expires_at, status from oauth_token_status
  where org_id = $1 and user_id = $2 order by credential_id limit 200`;
