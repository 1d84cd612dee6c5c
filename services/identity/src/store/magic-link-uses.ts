import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import type { LinkKind } from "./magic-links.js";

/** Holds the account of a link, before the link, against its end: who disables it finds all sessions of its links. */
export async function holdLinkAccount(tx: Sql, orgId: string, accountId: string): Promise<void> {
  await tx.query("magic_links_hold_account", holding, [orgId, accountId]);
}

export interface UsedLinkRow {
  id: string;
  org_id: string;
  kind: LinkKind;
  service_account_id: string;
  use_case_id: string | null;
  expires_at: Date;
}

/** Uses a link once, and holds it until the end of the transaction; undefined: it does not work. */
export async function useMagicLink(tx: Tx, lookups: readonly Buffer[], now: Date): Promise<UsedLinkRow | undefined> {
  return (await tx.change<UsedLinkRow>(using, [lookups, now]))[0];
}

export interface SeenLinkRow {
  id: string;
  org_id: string;
  kind: LinkKind;
  service_account_id: string;
  account_name: string;
  /** Of the use case, by language. */
  label: Record<string, string> | null;
  max_uses: number | null;
  uses: number;
  /** The link works, and so does its account. */
  working: boolean;
}

/** What a link is for, whether it works or not; its org is not known before. */
export async function seeMagicLink(sql: Sql, lookups: readonly Buffer[], now: Date): Promise<SeenLinkRow | undefined> {
  return (await sql.query<SeenLinkRow>("magic_links_see", seeing, [lookups, now]))[0];
}

/** Tells why a link did not sign anybody in. */
export async function tellRefusedLink(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.change(refusing, [id, now]);
}

const matching = "magic_links.lookup = any($1::bytea[])";

const holding = "select from service_accounts where org_id = $1 and id = $2 for key share";

const using = changing({
  name: "magic_links_use",
  effect: `update magic_links set uses = uses + 1, version = version + 1,
      sealed = case when uses + 1 >= max_uses then null else sealed end
    where ${matching} and revoked_at is null and expires_at > $2 and (max_uses is null or uses < max_uses)
    returning id, org_id, kind, service_account_id, use_case_id, uses, expires_at, version`,
  event: {
    type: "identity.magic_link.used",
    columns: ["id", "kind", "service_account_id", "use_case_id", "uses"],
  },
});

const seeing = `
  select magic_links.id, magic_links.org_id, kind, magic_links.service_account_id, service_accounts.name as account_name, label,
    max_uses, uses, revoked_at is null and expires_at > $2 and (max_uses is null or uses < max_uses)
      and status = 'active' as working
  from magic_links
  join service_accounts on service_accounts.org_id = magic_links.org_id and service_accounts.id = service_account_id
  left join use_case_guests
    on use_case_guests.org_id = magic_links.org_id and use_case_guests.use_case_id = magic_links.use_case_id
  where ${matching}`;

const refusing = changing({
  name: "magic_links_tell_refused",
  effect: `select id, org_id, version, service_account_id, use_case_id,
      case when revoked_at is not null then 'revoked' when expires_at <= $2 then 'expired'
        when uses >= max_uses then 'used_up' else 'account' end as reason
    from magic_links where id = $1`,
  event: { type: "identity.magic_link.refused", columns: ["id", "service_account_id", "use_case_id", "reason"] },
});
